// Folder: `npm run repository`: signed repositories of packages.

import { join } from 'node:path'
import { HelperError } from '../../../src/runtime/failure.ts'
import { vendor } from '../../../src/vendor.ts'
import { parseOptions } from '../../parse-options.ts'
import { tellFailures } from '../../tell-failures.ts'
import { root } from '../../tree.ts'
import { requireTools } from '../part/require-tools.ts'
import { writeAptRepository } from './apt.ts'
import { writeRpmRepository } from './rpm.ts'

tellFailures('repository')
const { values } = parseOptions({
  command: 'npm run repository --',
  summary:
    'adds packages to a signed repository for apt and one for dnf, zypper and yum, which a plain web server can serve',
  options: {
    key: { type: 'string', value: 'FINGERPRINT', summary: 'the key that signs: one of gpg, which GNUPGHOME finds' },
    url: { type: 'string', value: 'URL', summary: 'where the repositories are served' },
    packages: {
      type: 'string',
      default: join(root, 'dist', 'release'),
      value: 'DIRECTORY',
      summary: 'where the packages lie; absent, dist/release',
    },
    output: {
      type: 'string',
      default: join(root, 'dist', 'repository'),
      value: 'DIRECTORY',
      summary: 'where the repositories are; absent, dist/repository',
    },
    publisher: {
      type: 'string',
      default: vendor.publisher,
      value: 'NAME',
      summary: 'who publishes; absent, the publisher of this build',
    },
  },
})

const tools = {
  gpg: 'gnupg',
  'apt-ftparchive': 'apt-utils',
  xz: 'xz-utils',
  createrepo_c: 'createrepo-c',
  rpmsign: 'rpm',
}

const { key, url, packages, output, publisher } = values
if (!key || !url)
  throw new HelperError(
    'usage',
    `--${key ? 'url' : 'key'} is not set`,
    'run: npm run repository -- --key FINGERPRINT --url https://packages.example/gatepass',
  )
requireFingerprint(key)
const place = { packages, key, publisher, url: url.replace(/\/$/, '') }
requireTools(tools, { makes: 'repositories', otherwise: '' }, process.env.PATH ?? '')
await writeAptRepository({ ...place, output })
await writeRpmRepository({ ...place, output })

/** Another name of a key may be that of several: gpg would export all of them, and desktops trust each. */
function requireFingerprint(key: string): void {
  if (/^[0-9A-F]{40}$/i.test(key)) return
  throw new HelperError(
    'usage',
    '--key: expected a fingerprint: 40 hexadecimal digits without spaces',
    'see it, behind fpr, with: gpg --list-keys --with-colons',
  )
}
