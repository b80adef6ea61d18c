import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LoginCacheEntry } from './login/console-sign-in.ts'
import type { SsoCacheEntry } from './sso/sso.ts'

/** The text of an INI file, or its sections by their headings: `default`, `profile dev`, `sso-session corp`. */
type AwsFile = string | Record<string, Record<string, string>>

export interface AwsDirectoryContent {
  config?: AwsFile
  /** Here profiles have no `profile` before their name. */
  credentials?: AwsFile
  /** By `sso_session`, or by start URL for the older inline form. */
  ssoCache?: Record<string, SsoCacheEntry>
  /** By `login_session`. */
  loginCache?: Record<string, LoginCacheEntry>
}

export interface AwsDirectory {
  configPath: string
  credentialsPath: string
  ssoCachePath(sessionOrStartUrl: string): string
  loginCachePath(loginSession: string): string
  /** Makes this the `.aws` of a process, and its parent the home directory (also on Windows). */
  environment: Record<string, string>
}

/** Writes `home/.aws` as the AWS CLI would. A file that is not given is not written, but still pointed to. */
export async function writeAwsDirectory(home: string, content: AwsDirectoryContent): Promise<AwsDirectory> {
  const root = join(home, '.aws')
  const configPath = join(root, 'config')
  const credentialsPath = join(root, 'credentials')
  const ssoCachePath = (key: string) => join(root, 'sso', 'cache', `${digest('sha1', key)}.json`)
  const loginCachePath = (key: string) => join(root, 'login', 'cache', `${digest('sha256', key)}.json`)

  if (content.config !== undefined) await writePrivate(configPath, renderAwsFile(content.config))
  if (content.credentials !== undefined) await writePrivate(credentialsPath, renderAwsFile(content.credentials))
  for (const [key, entry] of Object.entries(content.ssoCache ?? {})) await writeJson(ssoCachePath(key), entry)
  for (const [key, entry] of Object.entries(content.loginCache ?? {})) await writeJson(loginCachePath(key), entry)

  const environment = {
    HOME: home,
    USERPROFILE: home,
    AWS_CONFIG_FILE: configPath,
    AWS_SHARED_CREDENTIALS_FILE: credentialsPath,
  }
  return { configPath, credentialsPath, ssoCachePath, loginCachePath, environment }
}

function renderAwsFile(file: AwsFile): string {
  if (typeof file === 'string') return file
  const sections = Object.entries(file).map(([heading, settings]) => {
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`)
    return `[${heading}]\n${lines.join('')}`
  })
  return sections.join('\n')
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writePrivate(path, `${JSON.stringify(value, null, 2)}\n`)
}

async function writePrivate(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, content, { mode: 0o600 })
}

function digest(algorithm: 'sha1' | 'sha256', text: string): string {
  return createHash(algorithm).update(text).digest('hex')
}
