import { execFile } from 'node:child_process'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort, startGatewayProcess } from '../../../gateways/gateway-process.ts'
import { nginxPath } from '../../../gateways/nginx/start-nginx.ts'
import { openDirectory } from '../../../gateways/run-with-gateway.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { startRotatingIssuer } from '../../../stand-ins/issuer/rotating-issuer.ts'
import { startRedis } from '../../../stand-ins/redis/start-redis.ts'
import { createAuthority } from '../../../stand-ins/tls/certificate.ts'
import { createCheckClient } from '../../../verify/server/ask-check.ts'
import { runGatepass } from '../../run-gatepass.ts'
import { startVerifierProcess, type VerifierProcess } from './verifier-process.ts'

/** Prepares the tenants red and blue with an issuer each, the files of both below one directory, and a token of each. */
async function prepareTenants(use: 'once' | 'many times' = 'many times') {
  const directory = await temporaryDirectory()
  const path = (name: string) => join(directory, name)
  const prepare = async (name: string) => {
    const issuer = await startRotatingIssuer()
    onTestFinished(() => issuer[Symbol.asyncDispose]())
    const rule = { name: `${name} people`, issuer: issuer.issuer, claims: { team: ['models'] }, use }
    const policy = {
      issuers: [{ issuer: issuer.issuer, audiences: ['models'] }],
      rules: [{ ...rule, headers: { 'x-user': '{sub}' } }],
    }
    const writePolicy = () => writeFile(path(`${name}.json`), JSON.stringify(policy))
    await writePolicy()
    const sign = () => issuer.sign({ sub: `dana of ${name}`, aud: 'models', team: 'models', jti: `${name} 1` })
    return { writePolicy, token: await sign(), sign }
  }
  const [red, blue] = await Promise.all([prepare('red'), prepare('blue')])
  const writeTenants = async (value: object) => {
    await writeFile(path('tenants.json'), JSON.stringify(value))
    return ['--tenants', path('tenants.json'), '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0']
  }
  return { directory, path, red, blue, writeTenants }
}

const byHost = [
  { name: 'red', hosts: ['red.example'], policy: 'red.json' },
  { name: 'blue', hosts: ['blue.example'], policy: 'blue.json' },
]

/** The status, the reason and the caller of the answer to a gateway that asks with these headers. */
function ask(
  { addresses: { listen } }: Pick<VerifierProcess, 'addresses'>,
  token: string,
  headers: OutgoingHttpHeaders,
) {
  const { hostname, port } = new URL(listen)
  return new Promise<string>((resolve, reject) => {
    const sent = { authorization: `Bearer ${token}`, ...headers }
    request({ hostname, port, path: '/v1/messages', headers: sent, agent: false }, (response) => {
      response.resume()
      const { 'gatepass-refusal': refusal, 'x-user': user } = response.headers
      response.once('end', () => resolve(`${response.statusCode} ${refusal ?? user}`))
    })
      .once('error', reject)
      .end()
  })
}

test('each token passes at the host of its own tenant alone, however the host is written', async () => {
  const { red, blue, path, writeTenants } = await prepareTenants()
  const tenants = [{ ...byHost[0], log: 'red.log', audit: 'red-audit.jsonl' }, byHost[1]]
  const verifier = await startVerifierProcess(
    ...(await writeTenants({ tenants })),
    ...['--request-from', 'x-forwarded', '--audit', path('audit.jsonl'), '--log-accepted'],
  )
  const at = (host: string | string[], token: string, more: OutgoingHttpHeaders = {}) =>
    ask(verifier, token, { 'x-forwarded-host': host, ...more })
  const { admin } = verifier.addresses
  const read = async (where: string) => (await fetch(`${admin}${where}`)).text()
  await expect.poll(() => read('/readyz'), { timeout: 10_000 }).toBe('ready\ntenant red: ready\ntenant blue: ready\n')
  const attempts: Readonly<Record<string, () => Promise<string>>> = {
    'its own host': () => at('red.example', red.token),
    'with a port, in upper case': () => at('RED.example:8443', red.token),
    'the other tenant': () => at('blue.example', blue.token),
    'a token of red at blue': () => at('blue.example', red.token),
    'a token of blue at red': () => at('red.example', blue.token),
    'a forged header': () => at('blue.example', red.token, { 'x-tenant': 'red', 'gatepass-tenant': 'red' }),
    'a forged host': () => at('blue.example', red.token, { host: 'red.example' }),
    'the host twice': () => at(['red.example', 'blue.example'], red.token),
    'both hosts in one': () => at('red.example, blue.example', red.token),
    'a dot at the end': () => at('red.example.', red.token),
    'an unknown host': () => at('green.example', red.token),
    'no host': () => ask(verifier, red.token, {}),
  }
  const outcomes: Record<string, string> = {}
  for (const [name, attempt] of Object.entries(attempts)) outcomes[name] = await attempt()
  expect(outcomes).toEqual({
    'its own host': '200 dana of red',
    'with a port, in upper case': '200 dana of red',
    'the other tenant': '200 dana of blue',
    'a token of red at blue': '401 issuer',
    'a token of blue at red': '401 issuer',
    'a forged header': '401 issuer',
    'a forged host': '401 issuer',
    'the host twice': '403 no-tenant',
    'both hosts in one': '403 no-tenant',
    'a dot at the end': '403 no-tenant',
    'an unknown host': '403 no-tenant',
    'no host': '403 no-tenant',
  })
  const metrics = await read('/metrics')
  const counted = (label: string) =>
    [...metrics.matchAll(/^gatepass_verifications_total\{.*tenant="(\w+)".*\} (\d+)$/gm)]
      .filter(([, tenant]) => tenant === label)
      .reduce((sum, [, , count]) => sum + Number(count), 0)
  expect({ red: counted('red'), blue: counted('blue'), none: counted('none') }).toEqual({ red: 3, blue: 4, none: 5 })
  verifier.signal('SIGTERM')
  const { status } = await verifier.ended

  const readLines = async (name: string): Promise<Record<string, unknown>[]> =>
    (await readFile(path(name), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  const count = (lines: readonly Record<string, unknown>[], event: string) =>
    lines.filter((line) => line.event === event || line.audit === event).map(({ tenant }) => tenant ?? 'nobody')
  const [log, audit, own] = [
    await readLines('red.log'),
    await readLines('red-audit.jsonl'),
    await readLines('audit.jsonl'),
  ]
  expect({
    status,
    mode: ((await stat(path('red.log'))).mode & 0o777).toString(8),
    red: { accepted: count(log, 'accepted'), refused: count(log, 'refused'), audit: count(audit, 'decision') },
    others: {
      accepted: count(verifier.log(), 'accepted'),
      refused: count(verifier.log(), 'refused'),
      audit: count(own, 'decision'),
    },
  }).toEqual({
    status: 0,
    mode: '600',
    red: { accepted: ['red', 'red'], refused: ['red'], audit: ['red', 'red', 'red'] },
    others: {
      accepted: ['blue'],
      refused: ['blue', 'blue', 'blue', ...Array(5).fill('nobody')],
      audit: ['blue', 'blue', 'blue', 'blue', ...Array(5).fill('nobody')],
    },
  })
})

test('a token that passes once does so at each tenant, which a header names to several processes', async () => {
  const [{ port }, { red, blue, path, writeTenants }] = await Promise.all([startRedis(), prepareTenants('once')])
  await writeFile(path('blue.json'), await readFile(path('red.json'))) // one issuer, so that one token is good for both
  const tenants = [
    { name: 'red', policy: 'red.json', revocations: ['redis'] },
    { name: 'blue', policy: 'blue.json', revocations: ['redis'] },
  ]
  const redis = `redis://127.0.0.1:${port}`
  const verifier = await startVerifierProcess(
    ...(await writeTenants({ header: 'X-Tenant', tenants })),
    ...['--processes', '2', '--redis', redis],
  )
  const as = (tenant: string | string[], token: string) => ask(verifier, token, { 'x-tenant': tenant })
  const next = await red.sign()
  const outcomes = [
    ...[
      await as('red', red.token),
      await as('red', red.token),
      await as('blue', red.token),
      await as('blue', red.token),
    ],
    ...[await as('Red', next), await as(['red', 'red'], next), await as('red,blue', next), await as('none', next)],
    await as('red', blue.token),
  ]
  expect(outcomes).toEqual([
    ...['200 dana of red', '401 replayed', '200 dana of red', '401 replayed'],
    ...Array(4).fill('403 no-tenant'),
    '401 issuer',
  ])
  const revoke = ['gateway', 'revoke', '--subject', 'dana of red', '--redis', redis, '--tenant', 'red']
  const revoked = await runGatepass(...revoke)
  await expect.poll(() => as('red', next), { timeout: 10_000 }).toBe('401 revoked')
  const text = await (await fetch(`${verifier.addresses.admin}/metrics`)).text()
  expect({
    revoked,
    'at the other tenant': await as('blue', next),
    metrics: text.match(/^gatepass_(processes|tenant_out_of_service).*$/gm),
  }).toEqual({
    revoked: { status: 0, stdout: '{"subject":"dana of red"}\n', stderr: '' },
    'at the other tenant': '200 dana of red',
    metrics: [
      'gatepass_processes 2',
      'gatepass_tenant_out_of_service{tenant="red"} 0',
      'gatepass_tenant_out_of_service{tenant="blue"} 0',
    ],
  })
})

test('a tenant whose policy is broken leaves the others running, and comes back by itself', async () => {
  const { red, blue, path, writeTenants } = await prepareTenants()
  await writeFile(path('blue.json'), '{"rules": 7}')
  const verifier = await startVerifierProcess(
    ...(await writeTenants({ tenants: byHost })),
    ...['--request-from', 'x-forwarded'],
  )
  const both = async () => [
    await ask(verifier, red.token, { 'x-forwarded-host': 'red.example' }),
    await ask(verifier, blue.token, { 'x-forwarded-host': 'blue.example' }),
  ]
  const health = async () => (await runGatepass('gateway', 'health', new URL(verifier.addresses.admin!).host)).stdout
  const problem = `the policy ${path('blue.json')} cannot be used: rules: expected a list, found a whole number`
  await expect.poll(both, { timeout: 10_000 }).toEqual(['200 dana of red', '503 tenant-unavailable'])
  await expect
    .poll(health, { timeout: 20_000 })
    .toBe(`ready\ntenant red: ready\ntenant blue: out of service: ${problem}\n`)
  await blue.writePolicy()
  await expect.poll(both, { timeout: 10_000 }).toEqual(['200 dana of red', '200 dana of blue'])
  await writeFile(path('red.json'), '{')
  const kept = 'ready\ntenant red: ready by an earlier policy: its file cannot be used\ntenant blue: ready\n'
  await expect.poll(health, { timeout: 20_000 }).toBe(kept)
  expect(await both()).toEqual(['200 dana of red', '200 dana of blue'])
  const told = verifier.log().filter(({ event }) => /^(tenant|policy-refused)/.test(String(event)))
  // Both are opened at the same time, so that either may be the first.
  expect(told.map(({ tenant, level, event }) => `${tenant}: ${level} ${event}`).toSorted()).toEqual([
    ...['blue: error tenant-out-of-service', 'blue: info tenant', 'red: error policy-refused', 'red: info tenant'],
  ])
})

test.each([[[]], [['--processes', '2', '--redis']]])(
  'a tenant is added and removed while the verifier runs (%j)',
  async (several) => {
    const [redis, { red, blue, path, writeTenants }] = await Promise.all([
      several.length > 0 ? startRedis() : undefined,
      prepareTenants(),
    ])
    const verifier = await startVerifierProcess(
      ...(await writeTenants({ tenants: byHost.slice(0, 1) })),
      ...['--request-from', 'x-forwarded', ...several, ...(redis ? [`redis://127.0.0.1:${redis.port}`] : [])],
    )
    const both = async () => [
      await ask(verifier, red.token, { 'x-forwarded-host': 'red.example' }),
      await ask(verifier, blue.token, { 'x-forwarded-host': 'blue.example' }),
    ]
    const toldTimes = (event: string) => verifier.log().filter((line) => line.event === event).length
    const processes = redis ? 2 : 1
    const changeAndWait = async (event: string, change: () => Promise<unknown>) => {
      const before = toldTimes(event)
      await change()
      await expect.poll(() => toldTimes(event), { timeout: 20_000 }).toBe(before + processes)
      return both()
    }
    const { admin } = verifier.addresses
    const readMetrics = async (pattern: RegExp) =>
      (await (await fetch(`${admin}/metrics`)).text()).match(pattern)?.toSorted()
    await expect.poll(both, { timeout: 10_000 }).toEqual(['200 dana of red', '403 no-tenant'])

    const added = {
      answers: await changeAndWait('tenants', () => writeTenants({ tenants: byHost })),
      metrics: await readMetrics(/^gatepass_tenant_out_of_service.*$/gm),
    }
    const broken = {
      answers: await changeAndWait('tenants-refused', () => writeFile(path('tenants.json'), '{')),
      metrics: await readMetrics(/^gatepass_policy_file_refused.*$/gm),
    }
    verifier.signal('SIGHUP') // reads the same broken file again, and says no more of it
    const fixed = {
      answers: await changeAndWait('tenants', () => writeTenants({ tenants: byHost })),
      refusedTimes: toldTimes('tenants-refused'),
    }
    const moved = {
      answers: await changeAndWait('tenants', () =>
        writeTenants({ tenants: [{ ...byHost[0], hosts: ['blue.example'] }] }),
      ),
      metrics: await readMetrics(/^gatepass_tenant_out_of_service.*$/gm),
      openedTimes: toldTimes('tenant'),
    }
    verifier.signal('SIGTERM')
    const { status } = await verifier.ended
    const bothPass = ['200 dana of red', '200 dana of blue']
    expect({ added, broken, fixed, moved, status }).toEqual({
      added: {
        answers: bothPass,
        metrics: ['gatepass_tenant_out_of_service{tenant="blue"} 0', 'gatepass_tenant_out_of_service{tenant="red"} 0'],
      },
      broken: {
        answers: bothPass,
        metrics: [
          'gatepass_policy_file_refused 1',
          'gatepass_policy_file_refused{tenant="blue"} 0',
          'gatepass_policy_file_refused{tenant="red"} 0',
        ],
      },
      fixed: { answers: bothPass, refusedTimes: processes },
      moved: {
        answers: ['403 no-tenant', '401 issuer'],
        metrics: ['gatepass_tenant_out_of_service{tenant="red"} 0'],
        openedTimes: 2 * processes, // red was not opened again
      },
      status: 0,
    })
  },
)

test('Envoy asks over gRPC for several tenants, by the host of the request', async () => {
  const { red, blue, writeTenants } = await prepareTenants()
  const args = await writeTenants({ tenants: byHost })
  const verifier = await startVerifierProcess(...args, '--grpc-listen', '127.0.0.1:0')
  const { grpc = '' } = verifier.addresses as { grpc?: string }
  const client = createCheckClient(new URL(grpc).host)
  const check = async (host: string, { token }: { token: string }) => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-host': 'red.example' }
    const answer = (await client.check({ host, headers })) as { status: { code?: number } }
    return answer.status.code ?? 0
  }
  await expect.poll(() => check('red.example:443', red), { timeout: 10_000 }).toBe(0)
  await expect.poll(() => check('blue.example', blue), { timeout: 10_000 }).toBe(0)
  expect([await check('blue.example', red), await check('other.example', red)]).toEqual([16, 7])
})

test('nginx and curl ask for several tenants with certificates over TLS on a Unix socket', async () => {
  const { red, blue, path, writeTenants } = await prepareTenants()
  const socket = path('verifier.sock')
  const own = createAuthority('Example Authority')
  const [edge, other] = ['edge.example', 'other.example'].map((name) => own.issue({ names: [name] }))
  const pairs = {
    verifier: own.issue({ names: ['verifier.example'] }),
    edge: edge!,
    other: other!,
    foreign: createAuthority('Foreign Authority').issue({ names: ['edge.example'] }),
  }
  for (const [name, { cert, key }] of Object.entries(pairs)) {
    await writeFile(path(`${name}.pem`), cert)
    await writeFile(path(`${name}.key`), key, { mode: 0o600 })
  }
  await writeFile(path('ca.pem'), own.cert)
  await writeTenants({ tenants: byHost })
  const verifier = await startVerifierProcess(
    ...['--tenants', path('tenants.json'), '--listen', `unix:${socket}`, '--admin-listen', '127.0.0.1:0'],
    ...['--request-from', 'x-forwarded', '--tls-cert', path('verifier.pem'), '--tls-key', path('verifier.key')],
    ...['--client-ca', path('ca.pem'), '--client-name', 'edge.example'],
  )
  const nginx = await startTlsNginx({ socket, path })
  const format = '%{http_code} %header{gatepass-refusal}%header{x-user}'
  const silent = ['--silent', '--max-time', '20', '--output', '/dev/null', '--write-out', format]
  const curl = (words: readonly string[]) =>
    new Promise<string>((resolve) => {
      execFile('curl', [...silent, ...words], (failure, stdout) => resolve(failure ? 'no answer' : stdout))
    })
  const bearer = (token: string) => ['--header', `Authorization: Bearer ${token}`]
  const direct = (host: string, token: string, name?: string) =>
    curl([
      ...['--unix-socket', socket, '--cacert', path('ca.pem'), ...bearer(token)],
      ...['--header', `X-Forwarded-Host: ${host}`, 'https://verifier.example/'],
      ...(name === undefined ? [] : ['--cert', path(`${name}.pem`), '--key', path(`${name}.key`)]),
    ])
  const through = (host: string, token: string) => curl([...bearer(token), '--header', `Host: ${host}`, nginx.url])
  const outcomes = {
    'curl to red': await direct('red.example', red.token, 'edge'),
    'curl to blue': await direct('blue.example', blue.token, 'edge'),
    'curl with a token of red to blue': await direct('blue.example', red.token, 'edge'),
    'curl to nobody': await direct('green.example', red.token, 'edge'),
    'curl without a certificate': await direct('red.example', red.token),
    'curl with another name': await direct('red.example', red.token, 'other'),
    'curl with a foreign certificate': await direct('red.example', red.token, 'foreign'),
    'curl without TLS': await curl(['--unix-socket', socket, ...bearer(red.token), 'http://verifier.example/']),
    'nginx for red': await through('red.example', red.token),
    'nginx for blue': await through('blue.example', blue.token),
    'nginx with a token of red for blue': await through('blue.example', red.token),
    'nginx for nobody': await through('green.example', red.token),
  }
  expect(outcomes).toEqual({
    'curl to red': '200 dana of red',
    'curl to blue': '200 dana of blue',
    'curl with a token of red to blue': '401 issuer',
    'curl to nobody': '403 no-tenant',
    'curl without a certificate': 'no answer',
    'curl with another name': 'no answer',
    'curl with a foreign certificate': 'no answer',
    'curl without TLS': 'no answer',
    'nginx for red': '200 dana of red',
    'nginx for blue': '200 dana of blue',
    'nginx with a token of red for blue': '401 ',
    'nginx for nobody': '403 ',
  })
  verifier.signal('SIGTERM')
  const { status } = await verifier.ended
  const told = verifier.log().filter(({ level, event }) => level === 'warning' && event === 'tls')
  const toReason = ({ message }: Record<string, unknown>) => /\((\w+)\)$/.exec(String(message))?.[1] ?? message
  expect({ status, warnings: told.map(toReason) }).toEqual({
    status: 0,
    warnings: [
      'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE',
      'the certificate of a gateway has no name of --client-name',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_SSL_HTTP_REQUEST',
    ],
  })
})

/** nginx, which asks the verifier at its socket over TLS, and answers with who the caller is. */
async function startTlsNginx({ socket, path }: { socket: string; path: (name: string) => string }) {
  const [port, directory] = [await findFreePort(), await openDirectory()]
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await writeFile(join(directory, 'page.txt'), 'the model\n')
  await writeFile(
    join(directory, 'nginx.conf'),
    `${userInfo().uid === 0 ? 'user root;' : ''}
daemon off;
pid ${directory}/nginx.pid;
events {}
http {
    access_log off;
    ${temporary.map((name) => `${name}_temp_path ${directory}/temporary-${name};`).join('\n    ')}
    server {
        listen 127.0.0.1:${port};
        location = /gatepass {
            internal;
            proxy_pass "https://unix:${socket}:/";
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header X-Forwarded-Host $host;
            proxy_ssl_certificate "${path('edge.pem')}";
            proxy_ssl_certificate_key "${path('edge.key')}";
            proxy_ssl_trusted_certificate "${path('ca.pem')}";
            proxy_ssl_verify on;
            proxy_ssl_name verifier.example;
        }
        location / {
            auth_request /gatepass;
            auth_request_set $user $upstream_http_x_user;
            add_header X-User $user always;
            root ${directory};
            try_files /page.txt =404;
        }
    }
}
`,
  )
  const log = join(directory, 'error.log')
  const argv = ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', log]
  const nginx = await startGatewayProcess({ command: nginxPath, argv, port, readErrors: () => readFile(log, 'utf8') })
  onTestFinished(nginx.close)
  return nginx
}

test.each<[string, object | undefined, string[], string, string]>([
  [
    'no tenant that can be opened',
    { tenants: [{ name: 'red', hosts: ['red.example'], policy: 'missing.json' }] },
    ['--request-from', 'x-forwarded'],
    'every tenant is out of service',
    'correct what the log above says of each',
  ],
  [
    'hosts that no gateway states',
    { tenants: byHost },
    [],
    'the host of a request is not known, by which its tenant is found',
    'have the gateway state it in X-Forwarded-Host, as the recipes do, and name that: --request-from x-forwarded',
  ],
  [
    'a policy beside them',
    { tenants: byHost },
    ['--policy', 'red.json'],
    '--policy does not go with --tenants',
    'name it for each tenant in that file',
  ],
  [
    'revocations beside them',
    { tenants: byHost },
    ['--revocations', 'redis'],
    '--revocations does not go with --tenants',
    'name it for each tenant in that file',
  ],
])('the verifier does not start with %s', async (_, tenants, argv, message, hint) => {
  const { writeTenants } = await prepareTenants()
  const words = ['gateway', 'verifier', ...(await writeTenants(tenants!)), '--log', 'text', ...argv]
  const { status, stdout, stderr } = await runGatepass(...words)
  const own = stderr.split('\n').filter((line) => line.startsWith('gatepass: ')) // between lines of the log
  expect({ status: status === 2 || status === 3, stdout, own }).toEqual({
    status: true,
    stdout: '',
    own: [`gatepass: ${message}`, `gatepass: hint: ${hint}`],
  })
})
