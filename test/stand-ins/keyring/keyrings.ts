import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { waitUntil } from '../../setup/wait-until.ts'
import { type Session, type SessionParts, startSession } from './start-session.ts'

const secrets = 'org.freedesktop.secrets'

/** Starts a session with GNOME Keyring and a login keyring. */
export async function startGnomeKeyring(state: 'unlocked' | 'locked', parts: SessionParts = {}): Promise<Session> {
  const session = await startSession({ installed: true, ...parts })
  const flags = ['--foreground', '--components=secrets']
  session.start('gnome-keyring-daemon', [...flags, '--unlock'], 'hunter2')
  await session.waitForName(secrets)
  if (state === 'locked') await lockKeyring(session)
  return session
}

async function lockKeyring({ call }: Session): Promise<void> {
  const keyring = 'array:objpath:/org/freedesktop/secrets/aliases/default'
  await call(secrets, '/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', keyring)
}

/** Finds the process that offers the Secret Service. */
export async function findKeyringProcess({ call }: Session): Promise<number> {
  const bus = 'org.freedesktop.DBus'
  const answer = await call(bus, '/org/freedesktop/DBus', `${bus}.GetConnectionUnixProcessID`, `string:${secrets}`)
  return Number(answer.split(' ').at(-1))
}

/** Starts a session with KeePassXC, whose database offers its first group as the keyring. */
export async function startKeePassXc(state: 'unlocked' | 'locked'): Promise<Session> {
  const session = await startSession({ env: { QT_QPA_PLATFORM: 'offscreen' } })
  const { home, env } = session
  await mkdir(join(home, '.config/keepassxc'), { recursive: true })
  const settings = ['[General]', 'UpdateCheckMessageShown=true', '[GUI]', 'CheckForUpdates=false']
  const offered = ['[FdoSecrets]', 'Enabled=true', 'ShowNotification=false', 'ConfirmAccessItem=false']
  const lines = [...settings, ...offered, 'ConfirmDeleteItem=false', '']
  await writeFile(join(home, '.config/keepassxc/keepassxc.ini'), lines.join('\n'))
  const cli = (args: readonly string[], input: string) =>
    execa('keepassxc-cli', args, { env, extendEnv: false, cwd: home, input, stripFinalNewline: false })
  await cli(['db-create', '-q', '-t', '100', '-p', 'empty.kdbx'], 'pw\npw\n')
  const { stdout: xml } = await cli(['export', '-q', 'empty.kdbx'], 'pw\n')
  await writeFile(join(home, 'offered.xml'), offerFirstGroup(xml))
  await cli(['import', '-q', '-p', 'offered.xml', 'offered.kdbx'], 'pw\npw\n')
  session.start('keepassxc', [...(state === 'unlocked' ? ['--pw-stdin'] : []), 'offered.kdbx'], 'pw\n')
  await session.waitForName(secrets)
  if (state === 'unlocked') await waitForOpenCollection(session)
  return session
}

/** Returns the setting of a database by which KeePassXC offers a group, which its command line cannot make. */
function offerFirstGroup(xml: string): string {
  const [, base64 = ''] = /<Root>.*?<UUID>([^<]+)/s.exec(xml) ?? []
  const uuid = Buffer.from(base64, 'base64')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const item = `<Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{${uuid}}</Value></Item>`
  return xml.replace(/<CustomData>.*?<\/CustomData>|<CustomData\/>|(?=<\/Meta>)/s, `<CustomData>${item}</CustomData>`)
}

/** Starts a session with KWallet, after a login that has opened the wallet. */
export async function startKWallet(): Promise<Session> {
  const session = await startSession({ env: { QT_QPA_PLATFORM: 'offscreen' } })
  await mkdir(join(session.home, '.config'), { recursive: true })
  const settings = ['[Wallet]', 'First Use=false', 'Enabled=true', 'Default Wallet=kdewallet', 'Leave Open=true', '']
  await writeFile(join(session.home, '.config/kwalletrc'), settings.join('\n'))
  session.start('kwalletd5', [])
  await session.waitForName(secrets)
  await openWallet(session)
  // A wallet that was just made is offered by the next process only.
  process.kill(await findKeyringProcess(session), 'SIGTERM')
  await waitUntil('it has ended', async () => Number.isNaN(await findKeyringProcess(session)))
  session.start('kwalletd5', [])
  await session.waitForName(secrets)
  await openWallet(session)
  await waitForCollection(session)
  return session
}

/** Waits until a wallet is offered, which a program does after it has taken the name. */
function waitForCollection(session: Session): Promise<void> {
  return waitUntil('a keyring is offered', async () => (await findCollection(session)) !== undefined)
}

/** Waits until a database is offered and open: it is offered before its password has been read. */
function waitForOpenCollection(session: Session): Promise<void> {
  return waitUntil('a keyring is open', async () => {
    const path = await findCollection(session)
    return path !== undefined && (await readProperty(session, path, 'Collection', 'Locked')).endsWith('false')
  })
}

async function findCollection(session: Session): Promise<string | undefined> {
  const list = await readProperty(session, '/org/freedesktop/secrets', 'Service', 'Collections')
  return /\/\S+\/collection\/\S+/.exec(list)?.[0]
}

function readProperty({ call }: Session, path: string, of: 'Service' | 'Collection', name: string): Promise<string> {
  const property = [`string:org.freedesktop.Secret.${of}`, `string:${name}`]
  return call(secrets, path, 'org.freedesktop.DBus.Properties.Get', ...property)
}

/** Opens the wallet as PAM does at the login, with a digest of the password; it makes the wallet where there is none. */
async function openWallet({ call, home }: Session): Promise<void> {
  const digest = Array.from({ length: 56 }, (_, index) => index + 1).join(',')
  const args = ['string:kdewallet', `array:byte:${digest}`, 'int32:0']
  await call('org.kde.kwalletd5', '/modules/kwalletd5', 'org.kde.KWallet.pamOpen', ...args)
  const wallet = join(home, '.local/share/kwalletd/kdewallet.kwl')
  await waitUntil('there is a wallet', () => existsSync(wallet))
}
