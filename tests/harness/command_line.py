"""The command line at work on a server in a folder."""

import pytest

from pbem.cli.main import main

SPAIN, MOROCCO = "ana@players.test", "idris@players.test"


class CommandLine:
    """The command line at work in a folder with a fresh server."""

    def __init__(self, folder, capsys):
        self.folder = folder
        self.capsys = capsys
        self.count = 0

    def __call__(self, *arguments):
        """Run a command: exit code, standard output, standard error."""
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments), "--config", str(self.folder / "pbem.toml")])
        output = self.capsys.readouterr()
        return ended.value.code, output.out, output.err

    def fine(self, *arguments):
        code, out, err = self(*arguments)
        assert (code, err) == (0, ""), err
        return out

    def deliver(self, sender, seat, text, headers=""):
        self.count += 1
        letter = self.folder / f"{self.count}.eml"
        head = f"From: {sender}\nTo: {seat}\nMessage-ID: <{self.count}@players.test>\n{headers}\n"
        letter.write_bytes((head + text).replace("\n", "\r\n").encode())
        return self("mail", "deliver", letter)
