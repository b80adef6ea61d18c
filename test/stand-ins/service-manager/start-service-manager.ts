import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** Starts a datagram socket at which a program tells what it does, as systemd has one; for the length of a test. */
export async function startServiceManager(path: string) {
  const receiver = spawn('python3', [join(import.meta.dirname, 'receive.py'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void receiver.kill('SIGKILL'))
  const lines = createInterface({ input: receiver.stdout })
  await once(lines, 'line')
  const told: string[] = []
  lines.on('line', (line) => told.push(JSON.parse(line)))
  return { told }
}
