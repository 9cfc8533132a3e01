"""wheel.py TREE VERSION PLATFORM EPOCH FOLDER: a wheel of a portable tree.

Programs become scripts of the wheel, so that they are what a shell starts, with
no Python between; all else lies as in TREE below the environment, where they
look for it.  A wheel holds no links: a program under another name is a script
that starts it by that name.
"""
import base64
import hashlib
import os
import sys
import time
import zipfile

LINK = """#!/usr/bin/env bash
# {name} is {target} under another name
self=$(readlink -f "$0") && exec -a "$0" "${{self%/*}}/{target}" "$@"
"""

METADATA = """Metadata-Version: 2.1
Name: tracepipe
Version: {version}
Summary: Unix filters that turn what GPU and CPU profilers export into reports
License: MIT
License-File: LICENSE
Requires-Python: >=3.7
Requires-External: bash
Requires-External: make (>=4)
Classifier: Environment :: Console
Classifier: Intended Audience :: Developers
Classifier: Operating System :: {system}
Classifier: Topic :: Software Development :: Debuggers
Classifier: Topic :: System :: Benchmark
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """Wheel-Version: 1.0
Generator: tracepipe
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def content(path, name):
    """What the wheel has for the file PATH of the tree."""
    if os.path.islink(path):
        return LINK.format(name=name, target=os.readlink(path)).encode()
    with open(path, 'rb') as file:
        return file.read()


def files(tree, data):
    """Yield name in the wheel, bytes and mode of each file of TREE."""
    for folder, folders, names in os.walk(tree):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            place = os.path.relpath(path, tree)
            place = 'scripts/' + name if place == 'bin/' + name else \
                'data/' + place
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            yield f'{data}/{place}', content(path, name), mode


def main():
    tree, version, platform, epoch, folder = sys.argv[1:]
    base = f'tracepipe-{version}'
    info = base + '.dist-info'
    doc = os.path.join(tree, 'share/doc/tracepipe')
    with open(os.path.join(doc, 'README.md'), encoding='utf-8') as file:
        readme = file.read()
    with open(os.path.join(doc, 'LICENSE'), 'rb') as file:
        licence = file.read()
    entries = list(files(tree, base + '.data'))
    entries += [
        (info + '/LICENSE', licence, 0o644),
        (info + '/METADATA', METADATA.format(
            version=version, readme=readme,
            system='MacOS' if platform.startswith('macosx') else
            'POSIX :: Linux').encode(), 0o644),
        (info + '/WHEEL', WHEEL.format(platform=platform).encode(), 0o644),
    ]
    record = ''
    for name, data, _ in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        record += f'{name},sha256={digest.decode().rstrip("=")},{len(data)}\n'
    entries.append((info + '/RECORD',
                    f'{record}{info}/RECORD,,\n'.encode(), 0o644))
    # a ZIP begins in 1980
    when = max(time.gmtime(int(epoch))[:6], (1980, 1, 1, 0, 0, 0))
    wheel = os.path.join(folder, f'{base}-py3-none-{platform}.whl')
    with zipfile.ZipFile(wheel, 'w', zipfile.ZIP_DEFLATED,
                         compresslevel=9) as out:
        for name, data, mode in entries:
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            out.writestr(entry, data)


main()
