import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importHelper, listHelpers } from '../../../pkg-scripts/tree.ts'
import { prints } from '../../setup/run-program.ts'
import { testHost } from '../../setup/test-host.ts'
import { createPair, headerOfSecond, runPair } from './pair.ts'

test('a program gives the second token, and is run once for the life of that token', async () => {
  const { home } = await testHost()
  const program = join(home, 'badge')
  await writeFile(program, `#!/bin/sh\n[ ! -e '${home}/ran' ] || exit 1\ntouch '${home}/ran'\necho "badge-of-$1"\n`)
  await chmod(program, 0o755)
  const argv = ['--second-command', program, '--second-command', 'dana', '--second-option', 'life=7200']
  const pair = createPair()
  const runner = listHelpers().find((name) => name.startsWith('command-')) ?? ''
  const others = new Map([...pair.others, [runner, () => importHelper(runner)]])
  const printed = prints('{"token":"front-hall","headers":{"X-Second":"Bearer badge-of-dana"}}\n')
  const parts = { argv: [...argv, ...headerOfSecond], home, env: { PATH: '/usr/bin:/bin', HOME: home } }
  expect(await runPair({ others }, parts)).toEqual(printed)
  expect(await runPair({ others }, parts)).toEqual(printed)
})
