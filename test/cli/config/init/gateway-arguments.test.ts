import { expect, test } from 'vitest'
import { runHere } from '../../run-here.ts'

const external = 'https://aws-external-vendor.eu-west-1.api.aws'

test.each<[helper: string, baseUrl: string, given: string[], added: string[]]>([
  ['aws-bedrock-token', 'https://gateway.example.com', [], []],
  ['aws-bedrock-token', 'https://bedrock-mantle.eu-west-1.api.aws', [], ['--region', 'eu-west-1']],
  ['aws-bedrock-token', external, [], ['--service', 'aws-external-vendor', '--region', 'eu-west-1']],
  ['aws-bedrock-token', external, ['--region=eu-west-1', '--service', 'aws-external-vendor'], []],
  ['workload-token', external, ['--identity=file'], []],
])('%s for %s with %j gets %j as well', async (helper, baseUrl, given, added) => {
  const args = ['--client-timeout=300', ...given]
  const argv = ['config', 'init', '--helper', helper, '--base-url', baseUrl, ...args.map((arg) => `--arg=${arg}`)]
  const { stdout } = await runHere(argv)
  expect(JSON.parse(stdout).inference.credential.args).toEqual([...args, ...added])
})
