import { copyFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findTool } from '../part/require-tools.ts'
import { addPackages } from './add-packages.ts'
import { renderPublicKey, signFile } from './open-pgp.ts'
import { keyFile, type Repository } from './repository.ts'
import { runTool } from './run-tool.ts'

/** Adds signed RPM packages to a repository for dnf, zypper and yum, whose index is signed too. Every version stays. */
export async function writeRpmRepository(to: Repository): Promise<void> {
  const directory = join(to.output, 'rpm')
  // Debian's RPM searches for a program gpg2.
  const macros = { _gpg_name: to.key, _gpg_digest_algo: 'sha256', __gpg: findTool('gpg', process.env.PATH ?? '') }
  const defines = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`])
  const add = async (source: string, target: string) => {
    const draft = `${target}.new`
    await copyFile(source, draft)
    await runTool('rpmsign', [...defines, '--addsign', draft])
    await rename(draft, target)
  }
  await addPackages(to.packages, join(directory, 'packages'), { ending: '.rpm', add, digest: readHeaderDigest })
  await runTool('createrepo_c', ['--quiet', '--general-compress-type', 'gz', directory])
  const index = join(directory, 'repodata', 'repomd.xml')
  await signFile(index, { key: to.key, form: 'detached', output: `${index}.asc` })
  await writeFile(join(to.output, keyFile), await renderPublicKey(to.key))
  await writeFile(join(directory, 'gatepass.repo'), renderRepository(to))
}

/** Reads the digest of the header, which contains the digest of everything else except signatures. */
async function readHeaderDigest(path: string): Promise<string> {
  return runTool('rpm', ['--query', '--nosignature', '--queryformat', '%{SHA256HEADER}', '--package', path])
}

/** Renders the file that a desktop puts into `/etc/yum.repos.d/`, for zypper `/etc/zypp/repos.d/`. */
function renderRepository({ url, publisher }: Repository): string {
  return `[gatepass]
name=Gatepass of ${publisher}
baseurl=${url}/rpm
enabled=1
gpgcheck=1
repo_gpgcheck=1
gpgkey=${url}/${keyFile}
`
}
