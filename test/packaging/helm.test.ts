import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../pkg-scripts/tree.ts'
import { readTenantsFile } from '../../src/verify/tenants/tenants-file.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { readManifests, readObjects, validateObject } from './kubernetes-objects.ts'
import { renderTemplate } from './render-template.ts'

const chart = join(root, 'packaging', 'helm', 'gatepass-verifier')
const read = (name: string) => readFileSync(join(chart, name), 'utf8')
const defaults = parse(read('values.yaml'))
const validate = new Ajv({ allErrors: true }).compile(JSON.parse(read('values.schema.json')))

/** Renders the objects of the chart with these values in place of its own, each held against the schema of its kind. */
function render(values: object = {}) {
  const whole = { Values: { ...defaults, ...values }, Release: { Namespace: 'ai' } }
  if (!validate(whole.Values)) throw new Error(JSON.stringify(validate.errors))
  const files = readdirSync(join(chart, 'templates')).filter((name) => name.endsWith('.yaml'))
  return files
    .flatMap((name) => readObjects(renderTemplate(read(`templates/${name}`), whole)))
    .map((object) => {
      validateObject(object)
      return object
    })
}

const sort = (objects: readonly { kind: string }[]) => objects.toSorted((a, b) => a.kind.localeCompare(b.kind))
const plain = ['verifier.yaml', 'pod-monitor.yaml'].flatMap(readManifests)

test('with its own values, and the operator of Prometheus, the chart is the plain manifests', () => {
  expect(sort(render({ podMonitor: true }))).toEqual(sort(plain))
})

test('each value is in the manifests', () => {
  const objects = render({
    image: 'registry.example/gatepass@sha256:00',
    imagePullSecrets: ['registry'],
    replicas: 3,
    policy: '{"rules": []}\n',
    options: ['--request-from', 'x-forwarded'],
    redis: { url: 'rediss://redis:6380', passwordSecret: 'redis', passwordKey: 'word' },
    resources: { limits: { memory: '1Gi' } },
    networkPolicy: { gateways: { app: 'edge', tier: 'front' }, monitoring: 'metrics', egressPorts: [4318] },
  })
  const expected = structuredClone(plain.filter(({ kind }) => kind !== 'PodMonitor'))
  const find = (kind: string) => expected.find((object) => object.kind === kind)
  find('ConfigMap').data['policy.json'] = '{"rules": []}\n'
  const { spec } = find('Deployment')
  spec.replicas = 3
  spec.template.spec.imagePullSecrets = [{ name: 'registry' }]
  const [container] = spec.template.spec.containers
  container.image = 'registry.example/gatepass@sha256:00'
  container.args.push('--redis', 'rediss://redis:6380', '--redis-password-file', '/run/secrets/redis/password')
  container.args.push('--request-from', 'x-forwarded')
  container.resources = { limits: { memory: '1Gi' } }
  container.volumeMounts.push({ name: 'redis', mountPath: '/run/secrets/redis', readOnly: true })
  const secret = { secretName: 'redis', items: [{ key: 'word', path: 'password' }] }
  spec.template.spec.volumes.push({ name: 'redis', secret })
  const { ingress, egress } = find('NetworkPolicy').spec
  egress.push({ ports: [{ port: 6380 }] }, { ports: [{ port: 4318 }] })
  const [gateways, monitoring] = ingress
  gateways.from[0].podSelector.matchLabels = { app: 'edge', tier: 'front' }
  monitoring.from[0].namespaceSelector.matchLabels = { 'kubernetes.io/metadata.name': 'metrics' }
  expect(sort(objects)).toEqual(sort(expected))
})

test.each([
  ['redis://redis', 6379],
  ['redis://redis/2', 6379],
  ['redis://redis:7000', 7000],
  ['rediss://redis.example:6380/2', 6380],
  ['redis://[fd00::1]', 6379],
  ['redis://[fd00::1]:7001/0', 7001],
])('Redis at %s may be asked, at port %d', (url, port) => {
  const network = render({ redis: { ...defaults.redis, url } }).find(({ kind }) => kind === 'NetworkPolicy')
  const ports = network.spec.egress.flatMap((rule: { ports: { port: number }[] }) => rule.ports)
  expect(ports.map((each: { port: number }) => each.port)).toEqual([53, 53, 443, port])
})

const policy = JSON.stringify(JSON.parse(defaults.policy))
const tenantsFile = {
  tenants: ['red', 'blue'].map((name) => ({ name, hosts: [`${name}.example`], policy: `${name}.json` })),
}
const tenants = { 'tenants.json': JSON.stringify(tenantsFile), 'red.json': policy, 'blue.json': policy }

test('tenants take the place of the policy', () => {
  const options = ['--request-from', 'x-forwarded']
  const expected = structuredClone(plain.filter(({ kind }) => kind !== 'PodMonitor'))
  const find = (kind: string) => expected.find((object) => object.kind === kind)
  find('ConfigMap').data = tenants
  const [{ args }] = find('Deployment').spec.template.spec.containers
  args.splice(args.indexOf('--policy'), 2, '--tenants', '/etc/gatepass/tenants.json')
  args.push(...options)
  expect(sort(render({ tenants, options }))).toEqual(sort(expected))
})

test('the tenants name the policies by their keys in the ConfigMap', async () => {
  const file = join(await temporaryDirectory(), 'tenants.json')
  await writeFile(file, tenants['tenants.json'])
  const { tenants: read } = await readTenantsFile(file, 'anybody')
  expect(read?.tenants.map((tenant) => basename(tenant.policy))).toEqual(Object.keys(tenants).slice(1))
})

test('a value stays one value, whatever text it holds', () => {
  const policy = '  {"rules": []}\n\u2028evil: "yes" # {{ .Values.image }}\r'
  const objects = render({ policy, imagePullSecrets: ['registry\nhostNetwork: true'] })
  const expected = structuredClone(plain.filter(({ kind }) => kind !== 'PodMonitor'))
  const find = (kind: string) => expected.find((object) => object.kind === kind)
  find('ConfigMap').data['policy.json'] = policy
  find('Deployment').spec.template.spec.imagePullSecrets = [{ name: 'registry\nhostNetwork: true' }]
  expect(sort(objects)).toEqual(sort(expected))
})

test('as a sidecar, the chart has the policy alone', () => {
  const ofPlain = plain.filter(({ kind }) => kind === 'ConfigMap')
  const notes = (form: string) =>
    renderTemplate(read('templates/NOTES.txt'), { Values: { ...defaults, form }, Release: { Namespace: 'ai' } }).trim()
  expect({ objects: render({ form: 'sidecar' }), sidecar: notes('sidecar'), deployment: notes('deployment') }).toEqual({
    objects: ofPlain,
    sidecar:
      'The policy is in the ConfigMap gatepass-policy. Patch your gateway with packaging/kubernetes/sidecar.yaml.',
    deployment:
      'Gateways ask at http://gatepass-verifier.ai.svc:8790. Make their configuration from the same policy:\n  gatepass gateway verifier recipe nginx --policy policy.json',
  })
})

test.each<[what: string, values: object, place: string]>([
  ['an unknown key', { replica: 3 }, ''],
  ['no replica', { replicas: 0 }, '/replicas'],
  ['tenants without their file', { tenants: { 'red.json': '{}' } }, '/tenants'],
  ['a tenant in another folder', { tenants: { 'tenants.json': '{}', '../red.json': '{}' } }, '/tenants'],
  ['a policy that is not text', { policy: {} }, '/policy'],
  ['an image without a name', { image: '' }, '/image'],
  ['a malformed address of Redis', { redis: { url: 'redis:6379' } }, '/redis/url'],
  ['everybody as a gateway', { networkPolicy: { gateways: {}, monitoring: 'm' } }, '/networkPolicy/gateways'],
])('%s is refused by the schema of the values', (_, values, place) => {
  const isValid = validate({ ...defaults, ...values })
  expect({ isValid, places: [...new Set(validate.errors?.map(({ instancePath }) => instancePath))] }).toEqual({
    isValid: false,
    places: [place],
  })
})

test.each(['{{ .Values.missing }}', '{{ include "a" . }}', '{{ .Values.image | upper }}', '{{ if .Values.image }}a'])(
  'the renderer of this test refuses to guess: %s',
  (text) => {
    expect(() => renderTemplate(text, { Values: defaults })).toThrow()
  },
)
