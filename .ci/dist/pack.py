#!/usr/bin/env python3
"""Packs a built program, with all licences, for those who install it.

pack.py target TARGET PROGRAM FOLDER   an archive, a wheel and an npm package for one target
pack.py launcher FOLDER                the npm package that brings those in the folder
"""

import base64
import functools
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# The platforms of npm and of wheels. A static program needs neither glibc nor musl, so one wheel is for both.
TARGETS = {
    "x86_64-unknown-linux-musl": (
        "linux-x64",
        ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    ),
    "aarch64-unknown-linux-musl": (
        "linux-arm64",
        ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    ),
    "x86_64-apple-darwin": ("darwin-x64", ["macosx_10_12_x86_64"]),
    "aarch64-apple-darwin": ("darwin-arm64", ["macosx_11_0_arm64"]),
    "x86_64-pc-windows-msvc": ("win32-x64", ["win_amd64"]),
    # To try it out: PyPI refuses this tag.
    "x86_64-unknown-linux-gnu": ("linux-x64", ["linux_x86_64"]),
}

LICENCE_FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)

HEAD = """\
git-sq contains the following crates, under the terms that stand with each: those of MIT, where it offers a choice. The
source of a crate is at https://crates.io/crates/NAME/VERSION. It also contains the standard library of Rust (Copyright
(c) The Rust Project Contributors; MIT OR Apache-2.0), and on Linux musl (Copyright (c) 2005-2020 Rich Felker, et al.;
MIT).
"""


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode()


def metadata(*options):
    return json.loads(run("cargo", "metadata", "--locked", "--format-version", "1", *options))


def own_package():
    return metadata("--no-deps")["packages"][0]


@functools.cache
def moment():
    """The time of all files: packing twice gives the same bytes."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct"))


def repository():
    """The address of the repository, known once it is released."""
    name = os.environ.get("GITHUB_REPOSITORY")
    return name and f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}"


def readme(version):
    text = (ROOT / "README.md").read_text("utf-8")
    # Registries show it without the files beside it.
    base = f"{repository()}/blob/v{version}/" if repository() else ""
    return re.sub(r"\]\((?!\w+:|#)", f"]({base}", text)


def licence_texts(package):
    folder = Path(package["manifest_path"]).parent
    files = sorted(it for it in folder.iterdir() if it.is_file() and LICENCE_FILE.match(it.name))
    if not files:
        sys.exit(f"fatal: {package['name']} has no file with its licence: see {package['repository']}")
    choices = re.split(r"\s*(?:/|\bOR\b)\s*", package["license"] or "")
    of_mit = [it for it in files if "MIT" in it.name.upper()]
    if "MIT" in choices and of_mit:
        files = of_mit
    for file in files:
        lines = file.read_text("utf-8", "replace").strip("\n").splitlines()
        yield "\n".join(line.rstrip() for line in lines)


def third_party(target):
    """The licences of the crates that are linked in; crates with the same text share it."""
    only = ["--package", "git-sq", "--target", target, "--edges", "normal,no-proc-macro"]
    tree = run("cargo", "tree", "--locked", *only, "--prefix", "none", "--format", "{p}")
    linked = {tuple(line.split()[:2]) for line in tree.splitlines()}
    crates_of = {}
    for package in metadata("--filter-platform", target)["packages"]:
        name = f"{package['name']} {package['version']}"
        if package["source"] and (package["name"], f"v{package['version']}") in linked:
            for text in licence_texts(package):
                crates_of.setdefault(text, set()).add(f"{name} ({package['license']})")
    parts = [HEAD]
    for crates, text in sorted((sorted(crates), text) for text, crates in crates_of.items()):
        parts.append("\n".join(["=" * 80, *crates, "-" * 80, text, ""]))
    return "\n".join(parts)


def write_tar(path, files):
    """Files are pairs of a name and bytes; those in `bin` and the program itself are executable."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), moment()
            entry.mode = 0o755 if is_program(name) else 0o644
            tar.addfile(entry, io.BytesIO(content))
    path.write_bytes(gzip.compress(out.getvalue(), 9, mtime=moment()))


def is_program(name):
    return Path(name).name in ("git-sq", "git-sq.exe", "git-sq.js")


def write_wheel(folder, package, tags, program, licences):
    name, version = f"git_sq-{package['version']}", package["version"]
    tag = f"py3-none-{'.'.join(tags)}"
    head = [
        "Metadata-Version: 2.4",
        "Name: git-sq",
        f"Version: {version}",
        f"Summary: {package['description']}",
        f"License-Expression: {package['license']}",
        *(f"License-File: {name}" for name, _ in licences),
        f"Keywords: {','.join(package['keywords'])}",
        "Classifier: Environment :: Console",
        "Classifier: Topic :: Software Development :: Version Control :: Git",
        "Description-Content-Type: text/markdown",
    ]
    if repository():
        head.append(f"Project-URL: Source, {repository()}")
    kind = ["Wheel-Version: 1.0", "Generator: git-sq", "Root-Is-Purelib: false"]
    kind += [f"Tag: py3-none-{tag}" for tag in tags]
    info = f"{name}.dist-info"
    files = [
        (f"{name}.data/scripts/{program[0]}", program[1]),
        *((f"{info}/licenses/{file}", text) for file, text in licences),
        (f"{info}/METADATA", ("\n".join(head) + "\n\n" + readme(version)).encode()),
        (f"{info}/WHEEL", ("\n".join(kind) + "\n").encode()),
    ]
    record = ""
    for path, content in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        record += f"{path},sha256={digest},{len(content)}\n"
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    with zipfile.ZipFile(folder / f"{name}-{tag}.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files:
            entry = zipfile.ZipInfo(path, time.gmtime(moment())[:6])
            # The same on all systems.
            entry.create_system = 3
            entry.external_attr = (0o100755 if is_program(path) else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)


def write_npm(folder, package, name, about, files):
    manifest = {
        "name": name,
        "version": package["version"],
        "description": package["description"],
        "license": package["license"],
        "keywords": package["keywords"],
        **({"repository": {"type": "git", "url": f"git+{repository()}.git"}} if repository() else {}),
        **about,
    }
    text = json.dumps(manifest, indent=2) + "\n"
    files = [("package.json", text.encode()), *files]
    files = [(f"package/{path}", content) for path, content in files]
    write_tar(folder / f"{name}-{package['version']}.tgz", files)


def pack_target(target, program, folder):
    if target not in TARGETS:
        sys.exit(f"fatal: {target} is none of the targets of a release: {', '.join(TARGETS)}")
    platform, tags = TARGETS[target]
    package, program, folder = own_package(), Path(program), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    licences = [
        ("LICENSE", (ROOT / "LICENSE").read_bytes()),
        ("THIRD-PARTY.txt", third_party(target).encode()),
    ]
    program = (program.name, program.read_bytes())
    # The installer and cargo-binstall find it under this name.
    files = [program, ("README.md", (ROOT / "README.md").read_bytes()), *licences]
    write_tar(folder / f"git-sq-{target}.tar.gz", files)
    write_wheel(folder, package, tags, program, licences)
    system, cpu = platform.split("-")
    # Yarn would leave it in an archive, where it can't run.
    about = {"os": [system], "cpu": [cpu], "preferUnplugged": True}
    about["description"] = f"The program of git-sq for {platform}; install git-sq"
    files = [(f"bin/{program[0]}", program[1]), *licences]
    write_npm(folder, package, f"git-sq-{platform}", about, files)


def pack_launcher(folder):
    package, folder = own_package(), Path(folder)
    version = package["version"]
    found = {platform for platform, _ in TARGETS.values()}
    found = sorted(it for it in found if (folder / f"git-sq-{it}-{version}.tgz").exists())
    if not found:
        sys.exit(f"fatal: there is no npm package of version {version} in {folder}")
    about = {
        "bin": {"git-sq": "bin/git-sq.js"},
        "engines": {"node": ">=16"},
        "optionalDependencies": {f"git-sq-{it}": version for it in found},
    }
    files = [
        ("bin/git-sq.js", (HERE / "git-sq.js").read_bytes()),
        ("README.md", readme(version).encode()),
        ("LICENSE", (ROOT / "LICENSE").read_bytes()),
    ]
    write_npm(folder, package, "git-sq", about, files)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["target"] and len(arguments) == 4:
        pack_target(*arguments[1:])
    elif arguments[:1] == ["launcher"] and len(arguments) == 2:
        pack_launcher(arguments[1])
    else:
        sys.exit(__doc__.strip())
