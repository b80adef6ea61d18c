import { chmod } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { writeTemporary } from './run-gatepass.ts'
import { answerGatepass } from './run-on-terminal.ts'

/** Returns a client on a terminal, a script for Node, in which a person presses keys once it has said `ready`. */
async function pressKeys(keys: string, script: string) {
  const helper = await writeTemporary('helper', '#!/bin/sh\necho token-1\n')
  await chmod(helper, 0o755)
  const words = ['run', '--helper', helper, '--base-url', 'http://127.0.0.1:9', '--client', 'openai', '--']
  return answerGatepass('ready', keys, [...words, process.execPath, '-e', script])
}

test('Ctrl-C reaches the client once', async () => {
  const script = `
    let count = 0
    process.on('SIGINT', () => { count += 1 })
    setInterval(() => { if (count > 0) setTimeout(() => { console.log('interrupted', count); process.exit(5) }, 1000) }, 10)
    console.log('ready')`
  expect(await pressKeys('\u0003', script)).toEqual({ status: 5, shown: 'ready\n^Cinterrupted 1\n' })
})

test('Ctrl-C ends a client that does not decide, with the status that shells give', async () => {
  const { status, shown } = await pressKeys('\u0003', `setInterval(() => {}, 1000); console.log('ready')`)
  expect({ status, shown }).toEqual({ status: 130, shown: 'ready\n^C' })
})

test('the client reads keys from the terminal and knows its width', async () => {
  const script = `
    process.stdin.setRawMode(true)
    process.stdin.once('data', (keys) => { console.log(JSON.stringify(String(keys)), process.stdout.isTTY); process.exit(0) })
    console.log('ready')`
  expect(await pressKeys('\u0003', script)).toEqual({ status: 0, shown: 'ready\n"\\u0003" true\n' })
})
