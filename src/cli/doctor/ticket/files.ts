import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { findHelper } from '../../../config/check/find-helper.ts'
import type { HelperScriptCredential } from '../../../config/document.ts'
import { locateOptionFiles } from '../../../helper/options/files.ts'
import { readStatus } from '../../../runtime/disk.ts'
import type { Environment } from '../../../runtime/environment.ts'
import type { Cli } from '../../cli.ts'
import { detectSystem } from '../../detect-system.ts'
import { readNetwork } from '../../network.ts'
import { programName } from '../../program-name.ts'

/** Whose files are described. */
interface Described {
  readonly source: string
  readonly helper: HelperScriptCredential | undefined
  /** The helper's environment. */
  readonly env: Environment
}

/** Every file that this command or the helper reads its settings from, with what can be said of it without its content. */
export async function describeFiles(cli: Cli, { source, helper, env }: Described): Promise<string[]> {
  const { host, helpers } = cli
  const found = helper && findHelper(helper, detectSystem(host.platform), (name) => helpers.has(name))
  const options = [programName, ...(found ? [found.name] : [])].flatMap((name) => {
    const { user, machine } = locateOptionFiles(host, name)
    return [user, machine]
  })
  const aws = [
    env.AWS_CONFIG_FILE || join(host.home, '.aws', 'config'),
    env.AWS_SHARED_CREDENTIALS_FILE || join(host.home, '.aws', 'credentials'),
  ]
  const authorities = await readNetwork(host).then(
    (network) => network.authorities.map(({ path }) => path),
    () => [], // the section about the network says why
  )
  const document = source === '-' || /^https?:/i.test(source) ? [] : [source]
  const command = helper?.command === undefined ? [] : [helper.command]
  const paths = [...new Set([...document, ...command, ...options, ...aws, ...authorities])]
  return Promise.all(paths.map(async (path) => `${path}: ${await describeFile(path)}`))
}

async function describeFile(path: string): Promise<string> {
  try {
    const { size, mode, mtime, uid } = await readStatus(path)
    await access(path, constants.R_OK)
    return `${size} bytes, mode ${(mode & 0o7777).toString(8)}, user ${uid}, changed ${mtime.toISOString()}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'not there' : `cannot be read (${code})`
  }
}
