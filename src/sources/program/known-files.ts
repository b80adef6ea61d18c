import { delimiter, join } from 'node:path'
import { readText } from '../../runtime/disk.ts'
import { locateAppData } from '../../runtime/files/private-files.ts'
import { macosSupport } from '../../runtime/host.ts'
import { locateAwsFiles } from '../aws/files/aws-files.ts'
import { nameProgram, type ProgramHost } from './program.ts'

/**
 * The files in which well-known programs record which account they use, from each program's documentation. Files that a program renews by
 * itself are left out, unless no other file distinguishes one person from another.
 */
export const knownPrograms: Readonly<Record<string, LocatePaths>> = {
  gcloud: async (command) => {
    const { env, home, platform, words } = command
    const own = platform === 'win32' ? join(locateSettings(command), 'gcloud') : join(home, '.config', 'gcloud')
    const directory = env.CLOUDSDK_CONFIG || own
    const active = join(directory, 'active_config')
    const named = findOption(words, '--configuration') ?? (env.CLOUDSDK_ACTIVE_CONFIG_NAME || (await readName(active)))
    const files = [
      'credentials.db',
      'application_default_credentials.json',
      `configurations/config_${named || 'default'}`,
    ]
    return [active, ...files.map((name) => join(directory, name))]
  },
  az: ({ env, home }) =>
    joinAll(env.AZURE_CONFIG_DIR || join(home, '.azure'), 'azureProfile.json', 'config', 'clouds.config'),
  gh: (command) => {
    const name = command.platform === 'win32' ? 'GitHub CLI' : 'gh'
    return joinAll(command.env.GH_CONFIG_DIR || join(locateSettings(command), name), 'hosts.yml')
  },
  glab: (command) =>
    [
      ...(command.env.GLAB_CONFIG_DIR ? [command.env.GLAB_CONFIG_DIR] : []),
      ...[join(locateSettings(command), 'glab-cli'), join(command.home, macosSupport, 'glab-cli')],
    ].map((directory) => join(directory, 'config.yml')),
  vault: ({ env, home }) => [join(home, '.vault-token'), env.VAULT_CONFIG_PATH || join(home, '.vault')],
  bao: ({ env, home }) => [join(home, '.vault-token'), env.BAO_CONFIG_PATH || join(home, '.bao')],
  op: (command) =>
    [command.env.OP_CONFIG_DIR || join(command.home, '.op'), join(locateSettings(command), 'op')].map((directory) =>
      join(directory, 'config'),
    ),
  kubectl: locateClusterFiles,
  oc: locateClusterFiles,
  databricks: ({ env, home }) => [
    env.DATABRICKS_CONFIG_FILE || join(home, '.databrickscfg'),
    // The only file that names the person; the program has one for each host.
    join(home, '.databricks', 'token-cache.json'),
  ],
  snow: (command) => {
    const { env, home } = command
    const directories = [
      env.SNOWFLAKE_HOME || join(home, '.snowflake'),
      join(locateLocalSettings(command), 'snowflake'),
    ]
    return directories.flatMap((directory) => joinAll(directory, 'config.toml', 'connections.toml'))
  },
  aws: locateAwsFiles,
  'aws-vault': locateAwsFiles,
  granted: locateAwsFiles,
  saml2aws: (command) => [
    ...locateAwsFiles(command),
    command.env.SAML2AWS_CONFIGFILE || join(command.home, '.saml2aws'),
  ],
  'okta-aws-cli': (command) => [...locateAwsFiles(command), join(command.home, '.okta', 'okta.yaml')],
  'gimme-aws-creds': (command) => [
    ...locateAwsFiles(command),
    command.env.OKTA_CONFIG || join(command.home, '.okta_aws_login_config'),
  ],
  tsh: ({ env, home }) => joinAll(env.TELEPORT_HOME || join(home, '.tsh'), 'current-profile'),
  docker: ({ env, home }) => joinAll(env.DOCKER_CONFIG || join(home, '.docker'), 'config.json'),
  curl: ({ env, home, platform }) => [
    env.NETRC || join(home, platform === 'win32' ? '_netrc' : '.netrc'),
    join(env.CURL_HOME || home, '.curlrc'),
  ],
  pass: ({ env, home, words }) => {
    const entry = words.findLast((word) => !word.startsWith('-') && word !== 'show')
    return entry === undefined ? [] : joinAll(env.PASSWORD_STORE_DIR || join(home, '.password-store'), `${entry}.gpg`)
  },
}

/** Locates the files of all known programs in a command, each once. */
export async function locateKnownFiles(
  names: readonly string[],
  host: ProgramHost,
  words: readonly string[],
): Promise<readonly string[]> {
  const locators = names
    .map(nameProgram)
    .flatMap((name) => (Object.hasOwn(knownPrograms, name) ? [knownPrograms[name]!] : []))
  const paths = await Promise.all(locators.map((locate) => locate({ ...host, words })))
  return [...new Set(paths.flat())]
}

/** A command, and the host on which it runs. */
interface KnownCommand extends ProgramHost {
  readonly words: readonly string[]
}

/** Finds the files in which a program records which account it uses. */
type LocatePaths = (command: KnownCommand) => readonly string[] | Promise<readonly string[]>

function locateClusterFiles({ env, home, words }: KnownCommand): readonly string[] {
  const named = findOption(words, '--kubeconfig') ?? env.KUBECONFIG
  return named ? named.split(delimiter).filter((path) => path !== '') : [join(home, '.kube', 'config')]
}

/** Locates the directory of settings, for a program that follows the rules of its system. */
function locateSettings({ env, home, platform }: KnownCommand): string {
  if (platform === 'win32') return locateAppData({ env, home }, 'Roaming')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

/** Locates the directory of settings that do not roam; on macOS it is in the Library. */
function locateLocalSettings(command: KnownCommand): string {
  const { home, platform } = command
  if (platform === 'darwin') return join(home, macosSupport)
  return platform === 'win32' ? locateAppData(command, 'Local') : locateSettings(command)
}

function joinAll(directory: string, ...names: readonly string[]): string[] {
  return names.map((name) => join(directory, name))
}

/** Finds the value of an option, in the form `--name value` or `--name=value`. */
function findOption(words: readonly string[], name: string): string | undefined {
  const index = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
  if (index < 0) return undefined
  return words[index] === name ? words[index + 1] : words[index]!.slice(name.length + 1)
}

/** Reads a file that holds one name; empty if it is missing, in which case the program uses its default. */
async function readName(path: string): Promise<string> {
  return readText(path).then(
    (text) => text.trim(),
    () => '',
  )
}
