"""Documents for paper: what they say as plain data (`document`), how they look in `document.typ`, PDF by `pdf`."""
