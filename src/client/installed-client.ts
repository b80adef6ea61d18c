import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parsePropertyList } from '../config/read/property-list.ts'
import { findErrorCode } from '../runtime/failure.ts'
import { parseJsonText } from '../runtime/values/json-text.ts'
import { isObject, type RawObject, stripMark } from '../runtime/values/json-value.ts'
import { type KnownClient, knownClients } from '../vendor/known-clients.ts'
import type { Vendor, VendorKey } from '../vendor/setting.ts'

/** The machine on which to find a client. */
export interface ExaminedMachine {
  readonly platform: NodeJS.Platform
  /** The prefix of every absolute path; empty for this machine. */
  readonly root: string
  readonly home: string
  /** The output of a program; `undefined` if it cannot be run or fails. */
  run(program: string, args: readonly string[]): Promise<string | undefined>
}

/** The parts of a client that exist on a machine. */
export interface InstalledClient {
  readonly applications: readonly SeenApplication[]
  readonly policies: readonly SeenPolicy[]
  /** Places that this user could not read, but an administrator can. */
  readonly unread: readonly string[]
}

/** A name that differs from the one on the machine. */
export interface NameDifference {
  readonly name: VendorKey
  readonly given: string
  readonly found: string
  readonly location: string
}

/** Chooses the name under which a client reads its policy on a system. */
export function choosePolicyName(
  platform: NodeJS.Platform,
): 'macosPayloadType' | 'windowsPolicyKey' | 'linuxManagedFile' {
  if (platform === 'darwin') return 'macosPayloadType'
  return platform === 'win32' ? 'windowsPolicyKey' : 'linuxManagedFile'
}

interface SeenApplication {
  /** Absent for an application that only the names in question describe. */
  readonly client?: KnownClient | undefined
  readonly title: string
  readonly release?: string
  readonly location: string
}

/** A policy, recognized by a key of the document. Its name is the one that a program reads, or a mistake. */
interface SeenPolicy {
  readonly name: string
  readonly location: string
}

/** Finds known clients, the client of these names, and policies under any name. */
export function examineInstalledClient(machine: ExaminedMachine, names: Vendor): Promise<InstalledClient> {
  if (machine.platform === 'darwin') return examineMac(machine, names)
  return machine.platform === 'win32' ? examineWindows(machine) : examineLinux(machine, names)
}

/**
 * Lists the names that differ from those of the known clients on the machine, and from those of its policies. Names that a policy already
 * has are omitted.
 */
export function listDifferences(
  names: Vendor,
  platform: NodeJS.Platform,
  { applications, policies }: InstalledClient,
): NameDifference[] {
  const policyName = choosePolicyName(platform)
  const isPolicyName = (name: string) =>
    platform === 'win32' ? name.toLowerCase() === names[policyName].toLowerCase() : name === names[policyName]
  const others = policies.some(({ name }) => isPolicyName(name)) ? [] : policies
  const ofApplications = applications.flatMap(({ client, location }) =>
    Object.entries(client?.setting ?? {}).map(([name, found]) => ({ name: name as VendorKey, found, location })),
  )
  const all = [...ofApplications, ...others.map(({ name, location }) => ({ name: policyName, found: name, location }))]
  return all
    .filter(({ name, found }) => (name === policyName ? !isPolicyName(found) : found !== names[name]))
    .map(({ name, found, location }) => ({ name, given: names[name], found, location }))
}

async function examineMac({ root, home }: ExaminedMachine, names: Vendor): Promise<InstalledClient> {
  const managed = '/Library/Managed Preferences'
  const folders = [managed, ...(await listNames(root + managed)).map((name) => join(managed, name))]
  const lists = await Promise.all(
    folders.map(async (folder) => (await listNames(root + folder)).map((name) => join(folder, name))),
  )
  const policies = await readPolicies(
    lists.flat().filter((path) => path.endsWith('.plist')),
    root,
    (bytes) => parsePropertyList(bytes).entries,
    (path) => basename(path, '.plist'),
  )
  const bundles = await Promise.all(
    ['/Applications', join(home, 'Applications')].map(async (folder) =>
      (await listNames(root + folder)).filter((name) => name.endsWith('.app')).map((name) => join(folder, name)),
    ),
  )
  const applications = await Promise.all(bundles.flat().map((path) => readBundle(path, root, names)))
  return { ...policies, applications: applications.flat() }
}

/** Lists the names in a folder; empty if it is missing or unreadable. */
async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).toSorted()
}

/** Finds the files that contain a document, and those that this user may not read. */
async function readPolicies(
  paths: readonly string[],
  root: string,
  parse: (bytes: Uint8Array) => RawObject | undefined,
  toName: (path: string) => string,
): Promise<Pick<InstalledClient, 'policies' | 'unread'>> {
  const read = await Promise.all(paths.map(async (path) => ({ path, bytes: await readBytes(root + path) })))
  return {
    policies: read
      .filter(({ bytes }) => bytes !== undefined && bytes !== 'closed' && hasPolicyKey(parse(bytes)))
      .map(({ path }) => ({ name: toName(path), location: path })),
    unread: read.filter(({ bytes }) => bytes === 'closed').map(({ path }) => path),
  }
}

/** Reads a file; `undefined` if it is missing, `'closed'` if this user may not read it. */
async function readBytes(path: string): Promise<Buffer | 'closed' | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    const code = findErrorCode(error)
    return code === 'EACCES' || code === 'EPERM' ? 'closed' : undefined
  }
}

/** Returns whether entries have the key that every active document has, in one of its two forms. */
function hasPolicyKey(entries: RawObject | undefined): boolean {
  return entries !== undefined && ('inferenceProvider' in entries || isObject(entries.inference))
}

/** Reads the bundle, if its identifier is that of a known client, or the one in question. */
async function readBundle(path: string, root: string, names: Vendor): Promise<SeenApplication[]> {
  const bytes = await readBytes(join(root + path, 'Contents/Info.plist'))
  if (bytes === undefined || bytes === 'closed') return []
  const { CFBundleIdentifier: identifier, CFBundleShortVersionString: version = '' } =
    parsePropertyList(bytes).entries ?? {}
  const client = knownClients.find(({ setting }) => setting.macosPayloadType === identifier)
  if (client === undefined && identifier !== names.macosPayloadType) return []
  const title = client?.title ?? basename(path, '.app')
  return [{ client, title, location: path, ...toRelease(client, String(version)) }]
}

function toRelease(client: KnownClient | undefined, version: string): { release?: string } {
  const release = client ? client.releases.pattern.exec(version)?.[0] : version
  return release ? { release } : {}
}

/** Runs `reg`, which every Windows has, to read keys in the view of 64-bit programs. */
async function examineWindows({ run }: ExaminedMachine): Promise<InstalledClient> {
  const query = async (...args: string[]) => (await run('reg', ['query', ...args, '/reg:64'])) ?? ''
  const found = await Promise.all(
    ['HKLM', 'HKCU'].map((hive) => query(`${hive}\\SOFTWARE\\Policies`, '/s', '/v', 'inferenceProvider')),
  )
  const policies = listKeys(found.join('\n')).map((location) => ({ name: location.replace(/^[^\\]+\\/, ''), location }))
  const packages = listKeys(await query(packagesKey)).map((key) => key.slice(key.lastIndexOf('\\') + 1))
  const applications = await Promise.all(
    knownClients.map(async (client): Promise<SeenApplication[]> => {
      const { windowsPackage, windowsUninstallKey } = client.installed
      const full = packages.find((name) => name.replace(/_.*_/, '_') === windowsPackage)
      if (full !== undefined)
        return [
          {
            client,
            title: client.title,
            location: `the package ${full}`,
            ...toRelease(client, full.split('_')[1] ?? ''),
          },
        ]
      const keys = ['HKCU', 'HKLM'].map((hive) => `${hive}\\${uninstallKey}\\${windowsUninstallKey}`)
      const versions = await Promise.all(keys.map((key) => query(key, '/v', 'DisplayVersion')))
      const at = versions.findIndex((text) => text !== '')
      const version = /^\s+DisplayVersion\s+REG_SZ\s+(\S+)/m.exec(versions[at] ?? '')?.[1]
      return version ? [{ client, title: client.title, location: keys[at]!, ...toRelease(client, version) }] : []
    }),
  )
  return { policies, applications: applications.flat(), unread: [] }
}

async function examineLinux({ root, run }: ExaminedMachine, names: Vendor): Promise<InstalledClient> {
  const folders = await listNames(`${root}/etc`)
  const paths = new Set([names.linuxManagedFile, ...folders.map((name) => `/etc/${name}/managed-settings.json`)])
  const policies = await readPolicies([...paths], root, parseEntries, (path) => path)
  const applications = await Promise.all(
    knownClients.map(async (client) => {
      const { linuxPackage } = client.installed
      const format = ['--show', '--showformat', `\${db:Status-Status} \${Version}\n`, linuxPackage]
      const debian = /^installed (?:\d+:)?(\S+)/.exec((await run('dpkg-query', format)) ?? '')?.[1]
      const version = debian ?? (await run('rpm', ['--query', '--queryformat', '%{VERSION}\n', linuxPackage]))?.trim()
      if (version === undefined) return []
      return [{ client, title: client.title, location: `the package ${linuxPackage}`, ...toRelease(client, version) }]
    }),
  )
  return { ...policies, applications: applications.flat() }
}

function parseEntries(bytes: Uint8Array): RawObject | undefined {
  const parsed = parseJsonText(stripMark(Buffer.from(bytes).toString('utf8')))
  return 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined
}

const uninstallKey = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
/** The registry key with a subkey for each package of a user; the subkey is the package's full name (MSIX). */
const packagesKey =
  'HKCU\\SOFTWARE\\Classes\\Local Settings\\Software\\Microsoft\\Windows\\CurrentVersion\\AppModel\\Repository\\Packages'

/** Lists the keys in the output of `reg query`: each is on a line that begins with its hive. */
function listKeys(text: string): string[] {
  return [...text.matchAll(/^HKEY_.+?\r?$/gm)].map(([line]) => line.trimEnd())
}
