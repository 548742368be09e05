# docker build -t pbem .
# docker run -v pbem-data:/data --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges pbem
# (with /data/pbem.toml in the volume; config/container has the same as files)

# A release names the digest too: --build-arg BASE=python:3.11-slim@sha256:...
ARG BASE=python:3.11-slim
FROM ${BASE} AS build
WORKDIR /src
COPY requirements/bootstrap.txt requirements/
RUN python -m pip install --no-cache-dir --require-hashes -r requirements/bootstrap.txt
COPY pyproject.toml hatch_build.py LICENSE README.md ./
COPY docs/pbem.1 docs/
COPY pbem pbem
COPY templates templates
COPY config config
RUN python -m hatchling build -t wheel -d /dist

FROM ${BASE}
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin pbem \
    && install --directory --owner=pbem --group=pbem --mode=0750 /data
# With what PostgreSQL, a beacon, DKIM, maps and paper need: settings alone decide what of it is used.
COPY requirements/extras.txt /tmp/
RUN python -m pip install --no-cache-dir --compile --require-hashes -r /tmp/extras.txt && rm /tmp/extras.txt
COPY --from=build /dist/*.whl /tmp/
RUN python -m pip install --no-cache-dir --compile --no-deps /tmp/*.whl && rm /tmp/*.whl
USER pbem
WORKDIR /data
VOLUME /data
STOPSIGNAL SIGTERM
# By the heartbeat alone: nothing is opened and nobody is asked. A mailbox that is away is no reason to start anew.
HEALTHCHECK --interval=1m --timeout=20s --start-period=2m --retries=3 CMD ["pbem", "doctor", "--alive", "--config", "/data/pbem.toml"]
CMD ["pbem", "serve", "--config", "/data/pbem.toml"]
