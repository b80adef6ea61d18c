// Folder: `npm run repository`: signed repositories of packages.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exitStatus, HelperError, renderFailure } from '../../../src/runtime/failure.ts'
import { vendor } from '../../../src/vendor.ts'
import { root } from '../../tree.ts'
import { requireTools } from '../part/tools.ts'
import { writeAptRepository } from './apt.ts'
import { writeRpmRepository } from './rpm.ts'

// Adds packages to a signed repository for apt and one for dnf, zypper and yum, which a plain web server can serve:
// `npm run repository -- --key FINGERPRINT --url URL [--packages DIRECTORY] [--output DIRECTORY] [--publisher NAME]`.
// The key is one of gpg, which GNUPGHOME finds.
const { values } = parseArgs({
  options: {
    key: { type: 'string' },
    url: { type: 'string' },
    packages: { type: 'string', default: join(root, 'dist', 'release') },
    output: { type: 'string', default: join(root, 'dist', 'repository') },
    publisher: { type: 'string', default: vendor.publisher },
  },
})

const tools = {
  gpg: 'gnupg',
  'apt-ftparchive': 'apt-utils',
  xz: 'xz-utils',
  createrepo_c: 'createrepo-c',
  rpmsign: 'rpm',
}

try {
  const { key, url, packages, output, publisher } = values
  if (!key || !url)
    throw new HelperError(
      'usage',
      `--${key ? 'url' : 'key'} is not set`,
      'npm run repository -- --key FINGERPRINT --url https://packages.example/gatepass',
    )
  requireFingerprint(key)
  const place = { packages, key, publisher, url: url.replace(/\/$/, '') }
  requireTools(tools, { makes: 'repositories', otherwise: '' }, process.env.PATH ?? '')
  await writeAptRepository({ ...place, output })
  await writeRpmRepository({ ...place, output })
} catch (error) {
  if (!(error instanceof HelperError)) throw error
  process.stderr.write(renderFailure('repository', error))
  process.exitCode = exitStatus[error.kind]
}

/** Another name of a key may be that of several: gpg would export all of them, and desktops trust each. */
function requireFingerprint(key: string): void {
  if (/^[0-9A-F]{40}$/i.test(key)) return
  throw new HelperError(
    'usage',
    '--key: expected a fingerprint: 40 hexadecimal digits without spaces',
    'see it, behind fpr, with: gpg --list-keys --with-colons',
  )
}
