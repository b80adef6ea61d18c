import { once } from 'node:events'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'

/** A `gatepass gateway` that runs. */
interface RunningGateway {
  /** The JSON that it printed at its start. Its type is not checked: a test that reads it fails if its shape is another one. */
  readonly started: ReturnType<typeof JSON.parse>
  /** Interrupts it; its exit status and what it said. */
  stop(): Promise<{ status: number | undefined; stderr: string }>
}

/** Starts the built command as a real process, on a port of its own choice. */
export function startGatewayCommand(...argv: string[]): Promise<RunningGateway> {
  return startGatewayIn({}, ...argv)
}

/** Starts the same, with these variables and no others. */
export function startGatewayIn(env: Readonly<Record<string, string>>, ...argv: string[]): Promise<RunningGateway> {
  return startGatewayOn(process.execPath, env, ...argv)
}

/** Starts the same on another Node. */
export async function startGatewayOn(
  node: string,
  env: Readonly<Record<string, string>>,
  ...argv: string[]
): Promise<RunningGateway> {
  const child = execa(node, [toBundlePath('gatepass'), 'gateway', '--port', '0', ...argv], {
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  while (!printed.endsWith('}\n')) printed += (await once(child.stdout, 'data'))[0]
  return {
    started: JSON.parse(printed),
    stop: async () => {
      child.kill('SIGTERM')
      const { exitCode, stderr } = await child
      return { status: exitCode, stderr }
    },
  }
}
