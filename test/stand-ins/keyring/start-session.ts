import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'

/** A desktop session: a home directory and a bus of its own. */
export interface Session {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** Starts a program that ends with the test. */
  start(program: string, args: readonly string[], input?: string): void
  /** Calls a method as `dbus-send` does; its answer as text, or why there is none. */
  call(destination: string, path: string, method: string, ...args: readonly string[]): Promise<string>
  /** Waits until somebody has this name on the bus. */
  waitForName(name: string): Promise<void>
}

/** The further parts of such a session. */
export interface SessionParts {
  /** Whether the bus knows the programs that are installed, and starts them when they are needed. */
  readonly installed?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a session, with nothing that runs in it. */
export async function startSession({ installed = false, env: more = {} }: SessionParts = {}): Promise<Session> {
  const home = await mkdtemp(join(tmpdir(), 'gatepass-session-'))
  const runtime = join(home, 'run')
  await mkdir(runtime, { mode: 0o700 })
  const base = { HOME: home, TMPDIR: home, XDG_RUNTIME_DIR: runtime, PATH: '/usr/bin:/bin', NO_AT_BRIDGE: '1', ...more }
  const configuration = join(home, 'bus.conf')
  await writeFile(configuration, renderConfiguration(installed))
  const started: ReturnType<typeof spawn>[] = []
  const start = (program: string, args: readonly string[], env: Record<string, string>, input?: string) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'], cwd: home })
    child.stdin.on('error', () => {}).end(input)
    started.push(child)
    return child
  }
  onTestFinished(async () => {
    for (const child of started.toReversed()) child.kill('SIGKILL')
    await sleep(100) // what the bus has started ends with it, and writes to the home directory until then
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const bus = start('dbus-daemon', [`--config-file=${configuration}`, '--nofork', '--print-address'], base)
  const [address] = (await once(bus.stdout, 'data')) as [Buffer]
  const env = { ...base, DBUS_SESSION_BUS_ADDRESS: address.toString().trim() }
  const call: Session['call'] = async (destination, path, method, ...args) => {
    const sent = ['--session', '--print-reply=literal', `--dest=${destination}`, path, method, ...args]
    const { stdout, stderr } = await execa('dbus-send', sent, { env, extendEnv: false, reject: false })
    return (stdout || stderr).trim()
  }
  const waitForName = async (name: string) => {
    for (let attempt = 1; attempt < 200; attempt += 1) {
      const answer = await call(busName, '/org/freedesktop/DBus', `${busName}.NameHasOwner`, `string:${name}`)
      if (answer.endsWith('true')) return
      await sleep(50)
    }
    throw new Error(`nobody has the name ${name}`)
  }
  return { home, env, call, waitForName, start: (program, args, input) => void start(program, args, env, input) }
}

const busName = 'org.freedesktop.DBus'

function renderConfiguration(installed: boolean): string {
  return `<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  ${installed ? '<standard_session_servicedirs/>' : ''}
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
`
}

/** Starts an X server for dialogs, and types into them. */
export async function startDisplay() {
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '800x600x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [number] = (await once(child.stdout, 'data')) as [Buffer]
  const env = { DISPLAY: `:${number.toString().trim()}`, PATH: '/usr/bin:/bin' }
  const xdotool = (...args: string[]) => execa('xdotool', args, { env, extendEnv: false, reject: false })
  /** Waits for a dialog, and presses the keys: `text:…` is typed, anything else the name of a key. */
  const answer = async (...keys: readonly string[]) => {
    for (let attempt = 1; !(await xdotool('search', '--onlyvisible', '--name', '.')).stdout; attempt += 1) {
      if (attempt === 100) throw new Error('no dialog is shown')
      await sleep(50)
    }
    await sleep(500) // until it has the focus
    for (const key of keys) {
      if (key.startsWith('text:')) await xdotool('type', key.slice('text:'.length))
      else await xdotool('key', key)
    }
  }
  return { env: { DISPLAY: env.DISPLAY }, answer }
}
