"""The user's cache folder, which both backends use: `folder` says where it is, `entries` changes it."""
