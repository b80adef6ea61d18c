import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { failure, program, role } from '../helpers/aws-bedrock-token/workbench.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { isRoot } from '../setup/unprivileged.ts'
import { type ProxyParts, startForwardProxy } from '../stand-ins/proxy/forward-proxy.ts'
import { argv, host, region, type Site, startSite } from './site.ts'

/** Starts a site whose AWS STS can be reached through a proxy only. */
async function startBehindProxy(parts: (site: Site) => Partial<ProxyParts> = () => ({})) {
  const site = await startSite()
  const proxy = await startForwardProxy({ routes: { [`${host}:443`]: site.front.port }, ...parts(site) })
  const run = (env: Record<string, string>, options: readonly string[] = argv) =>
    site.run({
      argv: options,
      env: { AWS_ENDPOINT_URL_STS: `https://${host}`, AWS_CA_BUNDLE: site.caPath, ...env },
    })
  return {
    ...site,
    proxy,
    url: `http://127.0.0.1:${proxy.port}`,
    run,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await site[Symbol.asyncDispose]()
    },
  }
}

/** Runs the helper from source, because only then its machine's file can be anywhere else than where it is. */
async function runOnMachine(machineDirectory: string, env: Record<string, string>) {
  const at = (path: string) => JSON.stringify(join(root, path))
  const script = `import helper from ${at(`helpers/${program}.ts`)}
import { runHelper } from ${at('src/helper/run/run-helper.ts')}
import { endProcess, createSystemHost } from ${at('src/runtime/host.ts')}
const [machineDirectory, ...argv] = process.argv.slice(1)
const { status, work } = await runHelper('${program}', helper, { ...createSystemHost(), machineDirectory, argv })
endProcess(status, work)`
  const options = ['--input-type=module-typescript', '-e', script, machineDirectory, ...argv, '--cache', 'none']
  const { exitCode, stderr } = await execa(process.execPath, options, { env, extendEnv: false, reject: false })
  return { status: exitCode, stderr }
}

const served = { status: 0, stdout: '{"token":"BEDROCK-KEY"}\n', stderr: '' }
const withoutAddress = failure(
  6,
  `AWS STS in ${region} cannot be reached (NO-ADDRESS)`,
  'check the network, the VPN and the proxy',
)
const tunnel = `CONNECT ${host}:443`

describe('a proxy', () => {
  test.each(['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'http_proxy', 'HTTP_PROXY', 'GATEPASS_PROXY'])(
    'comes from %s',
    async (variable) => {
      await using site = await startBehindProxy()
      const outcome = await site.run({ [variable]: site.url })
      expect({ ...toStableValue(outcome), asked: site.proxy.asked, aws: site.bench.asked() }).toEqual({
        ...served,
        asked: [tunnel],
        aws: ['AssumeRole'],
      })
    },
  )

  test('may be named without a scheme', async () => {
    await using site = await startBehindProxy()
    expect(toStableValue(await site.run({ HTTPS_PROXY: site.url.replace('http://', '') }))).toEqual(served)
  })

  test('comes from a variable in lower case before one in upper case', async () => {
    await using site = await startBehindProxy()
    const nobody = 'http://127.0.0.1:1'
    const env = { https_proxy: site.url, HTTPS_PROXY: nobody, all_proxy: nobody, http_proxy: nobody }
    expect(toStableValue(await site.run(env))).toEqual(served)
  })

  test('is reached over TLS where its URL says so', async () => {
    await using site = await startBehindProxy(({ authority }) => ({
      certificate: authority.issue({ names: ['127.0.0.1'] }),
    }))
    const HTTPS_PROXY = site.url.replace('http:', 'https:')
    expect(toStableValue(await site.run({ HTTPS_PROXY }))).toEqual(served)
    expect(await site.run({ HTTPS_PROXY, AWS_CA_BUNDLE: '' }, [...argv, '--cache', 'none'])).toEqual(
      failure(
        6,
        `the proxy ${HTTPS_PROXY} presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
        "if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
      ),
    )
  })

  test('is given the user and password of its URL', async () => {
    await using site = await startBehindProxy(() => ({ credentials: 'dana:p@ss/canary' }))
    const HTTPS_PROXY = site.url.replace('//', '//dana:p%40ss%2Fcanary@')
    expect(toStableValue(await site.run({ HTTPS_PROXY }))).toEqual(served)
    const { stdout } = await site.run({ HTTPS_PROXY }, [...argv, '--explain'])
    expect(stdout.match(/^\s*proxy = .*$/gm)).toEqual([
      `  proxy = http://…@127.0.0.1:${site.proxy.port} (variable HTTPS_PROXY)`,
    ])
  })

  test.each([
    '*',
    host,
    'gatepass.invalid',
    '.gatepass.invalid',
    '*.gatepass.invalid',
    `other.example, ${host}:443`,
    'INVALID',
  ])('is passed by for NO_PROXY=%s', async (list) => {
    await using site = await startBehindProxy()
    for (const variable of ['NO_PROXY', 'no_proxy']) {
      const outcome = await site.run({ HTTPS_PROXY: site.url, [variable]: list })
      expect(toStableValue(outcome)).toEqual(withoutAddress)
    }
    expect(site.proxy.asked).toEqual([])
  })

  test('is never used for this machine itself', async () => {
    await using site = await startBehindProxy()
    const env = { HTTPS_PROXY: site.url, AWS_ENDPOINT_URL_STS: site.front.url }
    expect(toStableValue(await site.run(env))).toEqual(served)
    expect(site.proxy.asked).toEqual([])
  })
})

test('metadata of this machine is asked directly, even with NODE_USE_ENV_PROXY', async () => {
  await using site = await startBehindProxy()
  const { aws } = site.bench
  aws.addInstanceRole({ arn: role })
  const runtime = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: site.url, AWS_REGION: region }
  const uncached = ['--cache', 'none']
  const outcomes = [await site.run(runtime, uncached)]
  const container = aws.addContainerRole({ arn: role, authorizationToken: 'canary' })
  outcomes.push(await site.run({ ...runtime, ...container }, uncached))
  expect({ outcomes: toStableValue(outcomes), asked: site.proxy.asked }).toEqual({
    outcomes: [served, served],
    asked: [],
  })
})

test('a proxy with a password in an argument is refused, because everybody can read it there', async () => {
  await using site = await startBehindProxy()
  expect(await site.run({}, [...argv, '--proxy', site.url.replace('//', '//dana:canary@')])).toEqual(
    failure(
      2,
      'the proxy has a password in an argument, which every user of this machine can read',
      'name it in a variable, such as HTTPS_PROXY, or in a configuration file',
    ),
  )
  expect(toStableValue(await site.run({}, [...argv, '--proxy', site.url]))).toEqual(served)
})

describe('a client without any environment gets its proxy', () => {
  test.runIf(isRoot)("from the machine's file, which may lock what it names", async () => {
    await using site = await startBehindProxy()
    const machine = join(site.bench.home, 'machine')
    await mkdir(machine, { mode: 0o755 })
    const settings = { proxy: site.url, ca: site.caPath, locked: ['proxy'] }
    await writeFile(join(machine, `${program}.json`), JSON.stringify(settings))
    const env = { ...site.bench.environment, AWS_ENDPOINT_URL_STS: `https://${host}` }
    for (const more of [{}, { HTTPS_PROXY: 'http://127.0.0.1:1' }])
      expect(await runOnMachine(machine, { ...env, ...more })).toEqual({ status: 0, stderr: '' })
    expect(site.proxy.asked).toEqual([tunnel, tunnel])
  })

  test("from the user's file, which names proxy, no-proxy and ca", async () => {
    await using site = await startBehindProxy()
    const directory = join(site.bench.home, '.config', 'gatepass')
    await mkdir(directory, { recursive: true })
    const write = (settings: object) => writeFile(join(directory, `${program}.json`), JSON.stringify(settings))
    await write({ proxy: site.url, ca: '~/corp.pem' })
    const through = await site.run({ AWS_CA_BUNDLE: '' })
    const asked = [...site.proxy.asked]
    await write({ proxy: site.url, ca: '~/corp.pem', 'no-proxy': host })
    const directly = await site.run({ AWS_CA_BUNDLE: '' }, [...argv, '--cache', 'none'])
    expect({ runs: toStableValue([through, directly]), asked, later: site.proxy.asked }).toEqual({
      runs: [served, withoutAddress],
      asked: [tunnel],
      later: [tunnel],
    })
  })

  test('from a variable, which takes precedence over a file that does not lock', async () => {
    await using site = await startBehindProxy()
    const directory = join(site.bench.home, '.config', 'gatepass')
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, `${program}.json`), JSON.stringify({ proxy: 'http://127.0.0.1:1' }))
    expect(toStableValue(await site.run({ HTTPS_PROXY: site.url }))).toEqual(served)
  })
})

describe('a proxy', () => {
  const run = async (answers: ProxyParts['answers'], user = '') => {
    await using site = await startBehindProxy(() => (answers ? { answers } : { credentials: 'dana:canary' }))
    const outcome = await site.run({ HTTPS_PROXY: site.url.replace('//', `//${user}`) })
    expect(site.front.requests).toBe(0)
    const clean = (text: string) => text.replaceAll(String(site.proxy.port), 'PORT')
    return { ...outcome, stderr: clean(outcome.stderr), asked: site.proxy.asked.length }
  }
  const name = 'the proxy http://127.0.0.1:PORT'

  test.each([
    [['NTLM'], 'NTLM'],
    [['Negotiate', 'NTLM'], 'Negotiate or NTLM'],
    [['Kerberos'], 'Kerberos'],
    [['Digest realm="corp"'], 'Digest'],
    [['Bearer'], 'an unknown kind of'],
  ])('is reported where it asks for %j', async (schemes, words) => {
    expect(await run({ status: 407, schemes }, 'dana:canary@')).toEqual({
      ...failure(
        3,
        `${name} asks for ${words} authentication, which is not supported`,
        'name a proxy that takes a user and password or none, such as a local one that signs in for you (px, cntlm)',
      ),
      asked: 1,
    })
  })

  test('is reported where it asks for a user and password', async () => {
    expect(await run(undefined)).toEqual({
      ...failure(
        3,
        `${name} asks for a user and password (HTTP 407)`,
        'write them into its URL in a file or variable: http://USER:PASSWORD@127.0.0.1:PORT',
      ),
      asked: 1,
    })
  })

  test('is reported where it does not accept user and password', async () => {
    expect(await run(undefined, 'dana:canary-wrong@')).toEqual({
      ...failure(
        5,
        `${name} does not accept the user and password in its URL (HTTP 407)`,
        'correct them; every special character in them is written as %XX',
      ),
      asked: 1,
    })
  })

  test('is asked once where it forbids the host', async () => {
    expect(await run({ status: 403 })).toEqual({
      ...failure(
        5,
        `${name} refuses tunnels to ${host}:443 (HTTP 403)`,
        `have ${host}:443 allowed there, or add its host to NO_PROXY if it can be reached without a proxy`,
      ),
      asked: 1,
    })
  })

  test('is asked three times where it cannot reach the host', async () => {
    expect(await run({ status: 503 })).toEqual({
      ...failure(
        6,
        `${name} cannot reach ${host}:443 (HTTP 503)`,
        "try again in a moment; if it stays so, check the host's name, then have the proxy's operators look for the cause",
      ),
      asked: 3,
    })
  })

  test('is reported where it is missing', async () => {
    await using site = await startBehindProxy()
    expect(await site.run({ HTTPS_PROXY: 'http://127.0.0.1:1' })).toEqual(
      failure(
        6,
        'the proxy http://127.0.0.1:1 cannot be reached (ECONNREFUSED)',
        "check the network, the VPN and the proxy's address (variable HTTPS_PROXY)",
      ),
    )
  })

  test.each([
    ['pac+http://wpad.example/proxy.pac', 'is a PAC file, which cannot be used'],
    ['http://wpad.example/proxy.pac?x=1', 'is a PAC file, which cannot be used'],
    ['socks5://127.0.0.1:1080', 'is a SOCKS proxy, which cannot be used'],
    ['ftp://127.0.0.1:21', 'is not a URL of the form http://host:port'],
    ['http://dana:canary%@127.0.0.1:3128', 'is not a URL of the form http://host:port'],
    ['http://dana:can/canary@127.0.0.1:3128', 'is not a URL of the form http://host:port'],
  ])('is reported where it is named %s', async (url, words) => {
    await using site = await startBehindProxy()
    const { status, stdout, stderr } = await site.run({ ALL_PROXY: url })
    expect({ status, stdout, stderr: stderr.split('\n')[0] }).toEqual({
      status: 3,
      stdout: '',
      stderr: `${program}: the proxy (variable ALL_PROXY) ${words}`,
    })
  })
})
