import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createTestCli } from '../run-here.ts'

/** Returns the lines that a person reads before `gatepass doctor` does anything for a document with this helper. */
async function tell(name: string, args: readonly string[]): Promise<string> {
  const directory = await temporaryDirectory()
  const command = join(directory, name)
  await writeFile(command, '#!/bin/sh\n')
  await chmod(command, 0o755)
  const credential = { kind: 'helper-script', command, args }
  const inference = { provider: 'gateway', baseUrl: 'https://gateway.example.com', credential }
  const path = join(directory, 'document.json')
  await writeFile(path, JSON.stringify({ $schemaVersion: 2, inference }))
  const { cli, written } = await createTestCli(['doctor', path])
  await runCli(cli)
  return written.stderr.replaceAll(directory, 'OWN').replaceAll(/"(OWN[^"]+)"/g, '$1')
}

const end = `\
and sends to:   https://gateway.example.com/
gatepass: standard input is not a terminal
gatepass: hint: read the lines above, then pass --yes
`
const asksAws = `\
and asks:       AWS again, with the helper's own chain and with the AWS SDK's, and AWS STS, which says whose credentials each of them found
`
const federation = ['--organization', 'o', '--federation-rule', 'fdrl_1', '--base-url', 'https://gateway.example.com']

test('the question names the service that is asked for a second opinion on an AWS identity', async () => {
  expect([
    await tell('aws-bedrock-token', ['--profile', 'dev']),
    await tell('workload-token', [...federation, '--identity', 'aws', '--audience', 'a']),
    await tell('workload-token', [...federation, '--identity', 'file', '--identity-file', '/run/token']),
    await tell('own-helper', []),
  ]).toEqual([
    `This runs:      OWN/aws-bedrock-token --profile dev\n${asksAws}${end}`,
    `This runs:      OWN/workload-token ${federation.join(' ')} --identity aws --audience a\n${asksAws}${end}`,
    `This runs:      OWN/workload-token ${federation.join(' ')} --identity file --identity-file /run/token\n${end}`,
    `This runs:      OWN/own-helper\n${end}`,
  ])
})
