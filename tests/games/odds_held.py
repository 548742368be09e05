"""Odds held against plays: shares by their binomial spread, means by the spread that was seen."""

from math import sqrt


class Counted:
    """What came of an assault in so many plays."""

    def __init__(self, plays):
        self.plays, self.begun, self.won = plays, 0, 0
        self.lost = []

    def add(self, won, lost):
        """Once it began."""
        self.begun += 1
        self.won += won
        self.lost.append(lost)


def z_of(share, seen, tries):
    """How many standard deviations a count lies from what a share makes of so many tries."""
    spread = sqrt(max(share * (1 - share) * tries, 0.0))
    off = seen - share * tries
    return 0.0 if abs(off) < 1e-6 else off / spread if spread > 1e-9 else float("inf")


def z_of_mean(mean, values):
    """How many standard errors the mean of values lies from what it should be."""
    if len(values) < 20:
        return 0.0
    seen = sum(values) / len(values)
    spread = sqrt(sum((value - seen) ** 2 for value in values) / (len(values) - 1) / len(values))
    return 0.0 if abs(seen - mean) < 1e-6 else (seen - mean) / spread if spread > 1e-9 else float("inf")


def hold(told, counted):
    """Insist that what is told, share, chance to win, mean losses by side, is what the plays gave."""
    share, win, losses = told
    assert abs(z_of(share, counted.begun, counted.plays)) < 5
    assert abs(z_of(win, counted.won, counted.begun)) < 5
    for place, mean in enumerate(losses):
        assert abs(z_of_mean(mean, [lost[place] for lost in counted.lost])) < 5


class Together:
    """How far the plays of many assaults lie from their odds in all: a bias that no single one shows adds up."""

    def __init__(self):
        self.off = self.spread = 0.0

    def add(self, told, counted):
        """One more."""
        _, win, _ = told
        self.off += counted.won - win * counted.begun
        self.spread += win * (1 - win) * counted.begun

    @property
    def z(self):
        """In standard deviations."""
        return self.off / sqrt(self.spread) if self.spread else 0.0
