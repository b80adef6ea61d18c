import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recipes } from '../../../src/cli/gateway/verifier/add-verifier.ts'
import { version } from '../../../src/version.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

/** Lists the lines of a recipe's files in the folder that are not in the recipe of the documentation. */
async function listOwnLines(recipe: keyof typeof recipes, baseUrl: string): Promise<Record<string, string[]>> {
  const folder = await nameFolder()
  await runSetup(folder, toFlags({ ...oktaAnswers, systems: 'linux', recipe, allow: 'everyone', 'base-url': baseUrl }))
  const parts = recipes[recipe]({ names: ['x-user'], always: 'x-user' })
  const changed = parts.map(async ({ path, text }) => {
    const file = path.replace(/^\//, '').replaceAll(/[^\w./-]+/g, '-')
    const lines = new Set(text.split('\n'))
    const written = (await readFile(join(folder, 'gateway', file), 'utf8')).split('\n')
    return [file, written.filter((line) => !lines.has(line)).map((line) => line.trim())] as const
  })
  const all = await Promise.all(changed)
  return Object.fromEntries(all.filter(([, lines]) => lines.length > 0))
}
const model = '# FILL IN: the address of the model, which gets every path as the client asks for it.'
const certificate = '# FILL IN: your certificate and its key.'
const nginx = {
  'etc/nginx/gatepass/identity.conf': ['# FILL IN: the name under which the model is asked.'],
  'etc/nginx/conf.d/gateway.conf': [
    ...[model, 'listen 8443 ssl http2;', 'server_name llm.corp.example;', certificate, 'location /ai/v1/ {'],
  ],
}

test.each([
  ['nginx', nginx],
  ['nginx-njs', nginx],
  [
    'apache',
    {
      'etc/apache2/sites-available/gateway.conf': [
        ...['Listen 8443', '<VirtualHost *:8443>', 'ServerName llm.corp.example', certificate, model],
      ],
    },
  ],
  ['haproxy', { 'etc/haproxy/haproxy.cfg': [certificate, 'bind :8443 ssl crt /etc/haproxy/gateway.pem', model] }],
  ['envoy', {}],
  ['traefik', { 'etc/traefik/dynamic/gateway.yaml': ['rule: Host(`llm.corp.example`)', model] }],
  ['kong', { 'kong.yml': [model, 'hosts: [llm.corp.example]'] }],
  ['azure-api-management', { 'policy.xml': ['<!-- FILL IN: the address of the verifier. -->'] }],
] as const)(
  'the recipe for %s has the address of --base-url, and marks what the operator fills in',
  async (recipe, lines) => {
    expect(await listOwnLines(recipe, 'https://llm.corp.example:8443/ai/')).toEqual(lines)
  },
)

test('a path that would mean something else to a gateway is refused', async () => {
  const flags = toFlags({
    ...oktaAnswers,
    recipe: 'nginx',
    allow: 'everyone',
    'base-url': 'https://llm.corp.example/a;b',
  })
  expect(await runSetup(await nameFolder(), flags)).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: no recipe can be made for the path /a;b of the gateway
gatepass: hint: choose a path of letters, digits, slashes and hyphens, or pass --recipe none
`,
    asked: [],
    left: [],
  })
})

test('the pages name what is to be filled in, where the verifier listens, and the package that has it', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags({ ...oktaAnswers, systems: 'linux', recipe: 'nginx', allow: 'everyone' }))
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).split('\n')
  const [readme, pilot, packages] = await Promise.all(['README.md', 'pilot.md', 'packages.md'].map(read))
  expect({
    readme: readme!.filter((line) => line.includes('gateway/…')),
    pilot: pilot!.filter((line) => line.startsWith('**Before ring 1**')),
    packages: packages!.slice(
      packages!.indexOf('') + 1,
      packages!.findIndex((line) => line.startsWith('They come')),
    ),
  }).toEqual({
    readme: [
      '| `gateway/…` | the recipe for nginx, each file below its own path; first fill in what is below each `FILL IN` |',
    ],
    pilot: [
      '**Before ring 1**: the gateway has the files of `gateway/`, with your values below each `FILL IN`, and beside it runs `gatepass gateway verifier --policy policy.json --listen /run/gatepass/verifier.sock`; `gatepass setup try` has shown how often people are asked.',
    ],
    packages: [
      `From the release ${version}, one for every desktop:`,
      '',
      '| system | processor | file |',
      '|---|---|---|',
      `| linux | Intel, AMD | \`gatepass-helpers_${version}_amd64.deb\`<br>\`gatepass-helpers-${version}-1.x86_64.rpm\` |`,
      `| linux | Arm | \`gatepass-helpers_${version}_arm64.deb\`<br>\`gatepass-helpers-${version}-1.aarch64.rpm\` |`,
      '',
      'The machine of the verifier gets `gatepass`:',
      '',
      '| system | processor | file |',
      '|---|---|---|',
      `| Linux | Intel, AMD | \`gatepass_${version}_amd64.deb\`<br>\`gatepass-${version}-1.x86_64.rpm\` |`,
      `| Linux | Arm | \`gatepass_${version}_arm64.deb\`<br>\`gatepass-${version}-1.aarch64.rpm\` |`,
      '',
    ],
  })
})
