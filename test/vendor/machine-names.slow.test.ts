import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { vendorRules } from '../../src/vendor/rules.ts'
import { fails, prints } from '../setup/run-program.ts'
import { isRoot, nobody } from '../setup/unprivileged.ts'
import { type MachineDesk, otherSetting, startMachineDesk } from './machine-desk.ts'

const helper = 'aws-bedrock-token'
const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1' }
const failed = (program: string, message: string, hint: string) => fails(program, 3, message, hint)
const versionOf = async (desk: MachineDesk, program: string, ...argv: string[]) =>
  / for (.*), names [0-9a-f]{8}\)\n$/.exec((await desk.run(program, [...argv, '--version'])).stdout)?.[1]

test('without a vendor file a program has the names of its build', async () => {
  expect(await versionOf(await startMachineDesk(), helper)).toBe('Vendor')
})

describe.runIf(isRoot)('the vendor file of a machine', () => {
  test('names the client for every program', async () => {
    const desk = await startMachineDesk(otherSetting)
    expect([await versionOf(desk, helper), await versionOf(desk, 'gatepass')]).toEqual([
      'Example, Inc.',
      'Example, Inc.',
    ])
    const argv = ['--service', 'nimbus.models', '--workspace', 'w1']
    const { stdout, ...rest } = await desk.run(helper, argv, keys)
    expect({ ...rest, stdout: stdout.replace(/(?<=-api-key-)[\w+/=]+/, 'KEY') }).toEqual(
      prints('{"token":"nimbus.models-api-key-KEY","headers":{"x-example.ai-workspace-id":"w1"}}\n'),
    )
    const { stdout: told } = await desk.run(helper, ['--explain'], { ...keys, EX_AI_HELPER_CONTEXT: 'background' })
    expect(told.match(/^.*EX_AI_HELPER_CONTEXT.*$/gm)).toEqual([
      '  background (EX_AI_HELPER_CONTEXT is "background"); nobody is asked',
    ])
  })

  test('is read again by a call that has a memo', async () => {
    const desk = await startMachineDesk()
    const shared = join(desk.home, 'credentials')
    await writeFile(shared, '[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = secret\n')
    const env = { AWS_SHARED_CREDENTIALS_FILE: shared, AWS_REGION: 'eu-central-1' }
    const call = (more = {}) => desk.run(helper, ['--client-ttl', '60'], { ...env, ...more })
    const first = await call()
    expect([first, await call(), await call()].map(({ stdout }) => stdout)).toEqual(Array(3).fill(first.stdout))
    await writeFile(desk.vendorFile, JSON.stringify({ ...otherSetting, keyPrefix: 'k' }))
    const path = '/etc/gatepass/vendor.json'
    const message = `${path}: keyPrefix: expected ${vendorRules.keyPrefix.expected}; found "k"`
    expect(await call()).toEqual(
      failed(helper, message, `correct ${path}, or move it away to use the names of this build`),
    )
    await writeFile(desk.vendorFile, JSON.stringify(otherSetting))
    const { stdout: _, ...again } = await call()
    expect(again).toEqual({ status: 0, stderr: '' })
    await rm(desk.vendorFile)
    expect(await call()).toEqual(first)
  })

  test('ends every program where it is wrong, with all problems', async () => {
    const desk = await startMachineDesk({ ...otherSetting, envPrefix: 'EX-AI', color: 'red' })
    const outcomes = await Promise.all([desk.run(helper, [], keys), desk.run('gatepass', ['config', 'fields'])])
    const path = '/etc/gatepass/vendor.json'
    const names = Object.keys(vendorRules).join(', ')
    const message = `${path}: envPrefix: expected letters, digits and underscores that do not begin with a digit, and do not end with an underscore, which is added; found "EX-AI"; "color" is not a name in a vendor file; it has ${names}`
    const hint = `correct ${path}, or move it away to use the names of this build`
    expect(outcomes).toEqual([helper, 'gatepass'].map((program) => failed(program, message, hint)))
  })

  test('ends every program where others can write it', async () => {
    const desk = await startMachineDesk(otherSetting)
    await chmod(desk.vendorFile, 0o666)
    const path = '/etc/gatepass/vendor.json'
    expect(await desk.run(helper, ['--version'])).toEqual(
      failed(helper, `${path} can be written by other users`, `run: sudo chmod go-w '${path}'`),
    )
  })

  test('ends every program where it is not root’s', async () => {
    const desk = await startMachineDesk(otherSetting)
    await chown(desk.vendorFile, nobody, nobody)
    const path = '/etc/gatepass/vendor.json'
    expect(await desk.run('gatepass', ['config', 'fields'])).toEqual(
      failed('gatepass', `${path} does not belong to root`, `run: sudo chown root '${path}'`),
    )
  })

  const late = (program: string, seconds: number) => ({
    status: 7,
    stdout: '',
    stderr: `${program}: reading /etc/gatepass/vendor.json took longer than ${seconds} s\n${program}: hint: it has to be a file on a local disk; see what is mounted there with: mount\n`,
  })

  test('on a disk that does not respond ends every program in time, with a message', async () => {
    const desk = await startMachineDesk()
    await execa('mkfifo', [desk.vendorFile])
    const outcomes = [desk.run(helper, [], keys), desk.run('gatepass', ['config', 'fields'])]
    expect(await Promise.all(outcomes)).toEqual([late(helper, 10), late('gatepass', 10)])
  })

  test('on such a disk ends a call before a client that waits less gives up', async () => {
    const desk = await startMachineDesk()
    await execa('mkfifo', [desk.vendorFile])
    const user = join(desk.home, 'user')
    await mkdir(join(user, 'gatepass'), { recursive: true })
    await writeFile(join(user, 'gatepass', `${helper}.json`), '{"client-timeout":3}', { mode: 0o600 })
    const calls: [argv: string[], env: Record<string, string>, seconds: number][] = [
      [['--client-timeout', '3'], { GATEPASS_CLIENT_TIMEOUT: '600' }, 1],
      [['--client-timeout', '3', '--client-timeout=4'], {}, 2],
      [[], { GATEPASS_CLIENT_TIMEOUT: '3', XDG_CONFIG_HOME: join(desk.home, 'none') }, 1],
      [[], { XDG_CONFIG_HOME: user }, 1],
    ]
    const outcomes = calls.map(async ([argv, env, seconds]) => {
      const begin = performance.now()
      const outcome = await desk.run(helper, argv, { ...keys, ...env })
      return { ...outcome, isInTime: performance.now() - begin < (seconds + 2) * 1000 }
    })
    expect(await Promise.all(outcomes)).toEqual(
      calls.map(([, , seconds]) => ({ ...late(helper, seconds), isInTime: true })),
    )
  })

  test('on such a disk ends a call within the locked limit of the machine', async () => {
    const desk = await startMachineDesk()
    await execa('mkfifo', [desk.vendorFile])
    await writeFile(join(desk.machine, `${helper}.json`), '{"client-timeout":4,"locked":["client-timeout"]}')
    expect(await desk.run(helper, ['--client-timeout', '9'], keys)).toEqual(late(helper, 2))
  })

  test.each(['vendor.json', `${helper}.json`])(
    'as a link %s that leads nowhere ends a call, also one that has a memo',
    async (name) => {
      const desk = await startMachineDesk()
      const shared = join(desk.home, 'credentials')
      await writeFile(shared, '[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = secret\n')
      await sleep(2100) // then no file is too new for a memo
      const env = { AWS_SHARED_CREDENTIALS_FILE: shared, AWS_REGION: 'eu-central-1' }
      const call = () => desk.run(helper, ['--client-ttl', '60'], env)
      const first = await call()
      expect([first, await call(), await call()].map(({ stdout }) => stdout)).toEqual(Array(3).fill(first.stdout))
      await symlink('/mnt/none/shared.json', join(desk.machine, name))
      const failure = failed(
        helper,
        `/etc/gatepass/${name} is a link to /mnt/none/shared.json, which does not exist`,
        `restore /mnt/none/shared.json, or remove the link /etc/gatepass/${name}`,
      )
      expect(await call()).toEqual(failure)
      await rm(desk.machine, { recursive: true })
      expect(await call()).toEqual(first)
      await symlink('/mnt/none', desk.machine)
      const behind = (file: string) =>
        `/etc/gatepass/${file} is behind the link /etc/gatepass, to /mnt/none, which does not exist`
      expect(await call()).toEqual(
        failed(helper, behind('vendor.json'), 'restore /mnt/none, or remove the link /etc/gatepass'),
      )
      expect(await desk.run('gatepass', ['config', 'fields'])).toEqual({
        status: 3,
        stdout: '',
        stderr: `gatepass: /etc/gatepass/vendor.json is behind the link /etc/gatepass, to /mnt/none, which does not exist
gatepass: hint: restore /mnt/none, or remove the link /etc/gatepass
`,
      })
    },
  )

  test('cannot be replaced by a setting of one helper', async () => {
    const desk = await startMachineDesk()
    const path = '/etc/gatepass/aws-bedrock-token.json'
    await writeFile(join(desk.machine, 'aws-bedrock-token.json'), JSON.stringify({ vendor: otherSetting }))
    const message = `${path}: vendor: the names of the client are set for all programs of a machine, in /etc/gatepass/vendor.json`
    expect(await desk.run(helper, [], keys)).toEqual(failed(helper, message, `correct ${path}, or move it away`))
  })
})

describe('gatepass --vendor', () => {
  const write = async (desk: MachineDesk, setting: unknown) => {
    const path = join(desk.home, 'other.json')
    await writeFile(path, JSON.stringify(setting))
    return path
  }

  test('names the client in front of a command, in place of the machine', async () => {
    const desk = await startMachineDesk({ name: 7 })
    const path = await write(desk, otherSetting)
    expect([
      await versionOf(desk, 'gatepass', '--vendor', path),
      await versionOf(desk, 'gatepass', `--vendor=${path}`),
    ]).toEqual(['Example, Inc.', 'Example, Inc.'])
  })

  test('is for the command alone, and refused behind it', async () => {
    const desk = await startMachineDesk()
    const path = await write(desk, otherSetting)
    expect(await desk.run(helper, ['--vendor', path])).toEqual(
      fails('aws-bedrock-token', 2, 'unknown option --vendor', 'see: aws-bedrock-token --help'),
    )
    expect(await desk.run('gatepass', ['config', 'fields', '--vendor', path])).toEqual({
      status: 2,
      stdout: '',
      stderr: `gatepass: --vendor is behind the command, where it has no effect
gatepass: hint: write it in front of the command: gatepass --vendor FILE COMMAND
`,
    })
  })

  test('refuses a file that is missing or wrong', async () => {
    const desk = await startMachineDesk()
    const missing = join(desk.home, 'none.json')
    expect(await desk.run('gatepass', ['--vendor', missing, 'config', 'fields'])).toEqual(
      failed('gatepass', `${missing} does not exist`, 'name an existing vendor file'),
    )
    const path = await write(desk, [])
    expect(await desk.run('gatepass', ['--vendor', path, 'config', 'fields'])).toEqual(
      failed('gatepass', `${path}: it is not a JSON object`, `correct ${path}`),
    )
  })
})
