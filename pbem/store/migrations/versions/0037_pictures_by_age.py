"""Pictures are found by when they were drawn."""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(op.f("ix_picture_made"), "picture", ["made"])


def downgrade() -> None:
    op.drop_index(op.f("ix_picture_made"), "picture")
