import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { expectToken } from './read-token.ts'
import { failure, keysOf, startWorkbench, type Workbench } from './workbench.ts'

const argv = ['--profile', 'dev']
const region = 'eu-central-1'

function paths({ home }: Workbench) {
  return { config: join(home, '.aws', 'config'), credentials: join(home, '.aws', 'credentials') }
}

test('a profile that is in neither file is named with both, and the hint has a command for each case', async () => {
  await using bench = await startWorkbench({ config: { default: { region } }, credentials: { other: {} } })
  const { config, credentials } = paths(bench)
  expect(await bench.run({ argv: ['--profile', 'my team'] })).toEqual(
    failure(
      3,
      `profile "my team" is neither in ${config} nor in ${credentials}`,
      'list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile "my team"',
    ),
  )
})

test('a missing file is reported as missing', async () => {
  await using bench = await startWorkbench()
  const { config, credentials } = paths(bench)
  expect(await bench.run({ argv })).toEqual(
    failure(
      3,
      `profile "dev" is neither in ${config} (which does not exist) nor in ${credentials} (which does not exist)`,
      'list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile dev',
    ),
  )
})

test('one file is enough', async () => {
  await using bench = await startWorkbench()
  await bench.write({ credentials: { dev: { region, ...keysOf(bench.aws) } } })
  expectToken(await bench.run({ argv }), bench.aws, 'AKIASTANDIN000000001')
})

test.each(['config', 'credentials'] as const)(
  'a %s file that cannot be read is not taken for an empty one',
  async (file) => {
    await using bench = await startWorkbench()
    await bench.write({ [file === 'config' ? 'credentials' : 'config']: { default: { region, ...keysOf(bench.aws) } } })
    const path = paths(bench)[file]
    await mkdir(path)
    expect(await bench.run()).toEqual(failure(3, `cannot read ${path} (EISDIR)`, 'it is a directory: name a file'))
  },
)

test('an unreadable file ends the call although the other one never answers', async () => {
  await using bench = await startWorkbench()
  const { config } = paths(bench)
  await mkdir(join(config, '..'), { recursive: true })
  await execa('mkfifo', ['-m', '600', config])
  await writeFile(join(bench.home, 'file'), '')
  const path = join(bench.home, 'file', 'credentials')
  expect(
    await bench.run({ argv: [...argv, '--client-timeout', '20'], env: { AWS_SHARED_CREDENTIALS_FILE: path } }),
  ).toEqual(
    failure(
      3,
      `cannot read ${path} (ENOTDIR): a part of the path is a file, not a directory`,
      'name a path in a directory',
    ),
  )
})

test.each([
  ['a heading without its bracket', '[default]\nregion = eu-central-1\n\n[profile dev\nregion = x\n', 4],
  ['a key without a value', '[default]\naws_access_key_id AKIAEXAMPLE\n', 2],
  ['a setting before any heading', '# mine\nregion = eu-central-1\n', 2],
  ['lines that end as on Windows', '[default]\r\nregion eu-central-1\r\n', 2],
])('a malformed file is named with its line: %s', async (_, config, line) => {
  await using bench = await startWorkbench({ config })
  const path = paths(bench).config
  expect(await bench.run()).toEqual(
    failure(
      3,
      `${path} is malformed: line ${line} is neither a [section] nor a "key = value" inside one`,
      `correct line ${line} of ${path}`,
    ),
  )
})

test('comments, a byte-order mark, indented settings, quoted names and CRLF are well-formed', async () => {
  await using bench = await startWorkbench()
  const { aws_access_key_id, aws_secret_access_key } = keysOf(bench.aws)
  const lines = [
    '\uFEFF# comment',
    '[profile "dev"] ; comment',
    `aws_access_key_id=${aws_access_key_id} # comment`,
    `aws_secret_access_key = ${aws_secret_access_key}`,
    's3 =',
    '  max_concurrent_requests = 20',
    '',
    `region = ${region}`,
    '[services local]',
    'dynamodb =',
    '  endpoint_url = http://localhost:8000',
  ]
  await bench.write({ config: lines.join('\r\n') })
  expectToken(await bench.run({ argv }), bench.aws, 'AKIASTANDIN000000001')
})

test('AWS_CONFIG_FILE may begin with ~/', async () => {
  await using bench = await startWorkbench()
  await bench.write({ config: { 'profile dev': { region, ...keysOf(bench.aws) } } })
  const outcome = await bench.run({ argv, env: { AWS_CONFIG_FILE: '~/.aws/config' } })
  expectToken(outcome, bench.aws, 'AKIASTANDIN000000001')
})

test('a configuration file of the helper that others can write is refused', async () => {
  await using bench = await startWorkbench({ config: { default: { region } } })
  const directory = join(bench.home, '.config', 'gatepass')
  const path = join(directory, 'aws-bedrock-token.json')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(path, '{"profile":"dev"}')
  await chmod(path, 0o666)
  expect(await bench.run()).toEqual(failure(3, `${path} can be written by other users`, `run: chmod go-w '${path}'`))
})
