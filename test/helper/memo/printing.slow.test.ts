import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { exitStatus } from '../../../src/runtime/failure.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { runExecutable } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'

const helper = 'aws-bedrock-token'

/** Every way in which stdout may fail, or not be read, as the shell says it, and how a call ends then. */
const readers: Record<string, [redirection: string, status: number]> = {
  'a device that is full': ['> /dev/full', exitStatus.unwritable],
  'a file that is open for reading alone': ['1< /dev/null', exitStatus.unwritable],
  'a full pipe that nobody reads': ['| sleep 3', exitStatus.late],
}

test('a call with a memo reads its memo, its token and their directory', async () => {
  const { call, cache } = await startHome()
  await sleep(2100) // then no file is too new
  await call()
  const printed = await call()
  const note = join(await temporaryDirectory(), 'note')
  const observer = join(import.meta.dirname, 'observe-files.cjs')
  expect(await call({ FILES_NOTE: note, NODE_OPTIONS: `--require "${observer}"` })).toEqual(printed)
  const read = (await readFile(note, 'utf8')).trim().split('\n')
  const own = read.filter((path) => path.startsWith(cache)).map((path) => path.replace(/-[0-9a-z]+\./, '-KEY.'))
  expect(own).toEqual([join(cache, `${helper}-KEY.memo`), join(cache, `${helper}-KEY.json`), cache])
})

test('a call with a memo ends as one without, where stdout fails', async () => {
  const { call, runInto, clear } = await startHome()
  await sleep(2100) // then no file is too new
  await call()
  await call() // leaves the memo
  for (const [name, [redirection, status]] of Object.entries(readers)) {
    const withMemo = await runInto(redirection)
    await clear()
    expect([name, withMemo]).toEqual([name, await runInto(redirection)])
    expect([name, withMemo.status]).toEqual([name, status])
    await call()
  }
})

async function startHome() {
  const home = await temporaryDirectory()
  const keys = { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'example' }
  const { environment } = await writeAwsDirectory(home, {
    config: { default: { region: 'eu-central-1' } },
    credentials: { default: keys },
  })
  const env = { ...environment, GATEPASS_CLIENT_TIMEOUT: '4' }
  const cache = join(home, '.cache', 'gatepass')
  return {
    cache,
    call: (more = {}) => runBundle(helper, { env: { ...env, ...more } }),
    runInto: (redirection: string) => runInto(redirection, env),
    clear: async () => {
      const memos = (await readdir(cache)).filter((name) => name.endsWith('.memo'))
      expect(memos).toHaveLength(1)
      await rm(join(cache, memos[0]!))
    },
  }
}

/** Runs the helper with another stdout, in a shell that says its status. A pipe is full before it begins. */
async function runInto(redirection: string, env: Record<string, string>) {
  const fill = redirection.startsWith('|') ? 'head -c 65536 /dev/zero;' : ''
  const script = `{ ${fill} "$0" "$1"; echo "$?" >&3; } 3>&2 ${redirection}`
  const argv = ['-c', script, process.execPath, toBundlePath(helper)]
  const { stderr } = await runExecutable('/bin/sh', { argv, env: { ...env, PATH: '/usr/bin:/bin' } })
  return { status: Number(stderr.trim().split('\n').at(-1)), stderr }
}
