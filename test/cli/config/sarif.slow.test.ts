import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import multitool from '@microsoft/sarif-multitool'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, runOnPath } from '../run-gatepass.ts'

/** What Microsoft's validator says of a log: `level rule`. */
async function validate(log: string): Promise<string[]> {
  const directory = await temporaryDirectory()
  const [input, output] = [join(directory, 'in.sarif'), join(directory, 'out.sarif')]
  await writeFile(input, log)
  await execa(multitool, ['validate', input, '--output', output, '--rule-kind', 'Sarif;Ghas'], {
    reject: false,
    env: { DOTNET_BUNDLE_EXTRACT_BASE_DIR: directory },
  })
  const { runs } = JSON.parse(await readFile(output, 'utf8'))
  return runs[0].results.map(
    ({ level = 'warning', ruleId }: { level?: string; ruleId: string }) => `${level} ${ruleId}`,
  )
}

test('a validator of SARIF complains only about the home page, which is not named', async () => {
  const cwd = await temporaryDirectory()
  await writeFile(join(cwd, 'a b.json'), documentWith({ command: '~/token', bogus: 1 }))
  await writeFile(join(cwd, 'broken.json'), '{')
  const argv = ['config', 'check', '--os', 'linux', '--format', 'sarif', 'a b.json', 'broken.json', '-']
  const { status, stdout } = await runOnPath('gatepass', argv, { cwd, input: '[]' })
  expect({ status, found: await validate(stdout) }).toEqual({ status: 2, found: ['warning SARIF2005'] })
  expect(new Set(await validate(stdout.replaceAll('"startLine": 1', '"startLine": -1')))).toEqual(
    new Set(['error JSON1008', 'error SARIF1007', 'warning SARIF2005', 'warning SARIF2017']),
  )
})
