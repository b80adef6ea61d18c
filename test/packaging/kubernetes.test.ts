import { Deployment } from 'kubernetes-models/apps/v1'
import { describe, expect, test } from 'vitest'
import { parsePublicKeys } from '../../src/bootstrap/signed-line.ts'
import { createVerifierOptions } from '../../src/cli/gateway/verifier/verifier-flags.ts'
import { parsePolicy } from '../../src/verify/policy/parse-policy.ts'
import { runHere } from '../cli/run-here.ts'
import { readManifests, validateObject } from './kubernetes-objects.ts'

const drainSec = createVerifierOptions().find(({ long }) => long === '--drain-sec')!.defaultValue

describe.each([
  ['verifier', 'Deployment', 'pod-monitor.yaml'],
  ['configuration-server', 'StatefulSet', 'configuration-server-pod-monitor.yaml'],
])('the manifests of the %s', (server, workload, monitorFile) => {
  const [monitor] = readManifests(monitorFile)
  const all = readManifests(`${server}.yaml`)
  const find = (kind: string) => all.find((object) => object.kind === kind)
  const { volumeClaimTemplates = [], template, selector } = find(workload).spec
  const { spec, metadata } = template
  const [container] = spec.containers

  test.each([...all, monitor].map((manifest) => [manifest.kind, manifest]))(
    'have a %s that keeps the schema of its kind',
    (_, manifest) => {
      expect(validateObject(manifest)).toEqual(manifest)
    },
  )

  test('keep a pod answering while somebody may still ask it', () => {
    const { seconds } = container.lifecycle.preStop.sleep
    expect(seconds).toBeGreaterThanOrEqual(5)
    expect(seconds + drainSec).toBeLessThan(spec.terminationGracePeriodSeconds)
  })

  test('select the pods of the workload everywhere', () => {
    const selectors = [
      selector.matchLabels,
      find('Service').spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
      find('NetworkPolicy').spec.podSelector.matchLabels,
      monitor.spec.selector.matchLabels,
    ]
    expect(selectors).toEqual(selectors.map(() => metadata.labels))
  })

  test('name only ports of the container', () => {
    const named = [
      ...find('Service').spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort),
      ...find('NetworkPolicy').spec.ingress.map((rule: { ports: { port: string }[] }) => rule.ports[0]!.port),
      monitor.spec.podMetricsEndpoints[0].port,
    ]
    expect([...new Set(named)].sort()).toEqual(container.ports.map(({ name }: { name: string }) => name).sort())
  })

  test('have a policy without an error or a warning', () => {
    const { findings } = parsePolicy(Buffer.from(find('ConfigMap').data['policy.json']))
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
  })

  test('have a key that verifies for releases, and none for policies', () => {
    const keys = Object.entries<string>(find('ConfigMap').data).filter(([name]) => name !== 'policy.json')
    expect(keys.map(([name, text]) => [name, parsePublicKeys(text).length])).toEqual(
      server === 'verifier' ? [] : [['release.key.pub', 1]],
    )
  })

  test('name only options of the command', async () => {
    const { status, stderr } = await runHere([...container.args, '--listen', 'nowhere'])
    expect({ status, isListen: stderr.includes("argument 'nowhere' is invalid") }).toEqual({
      status: 2,
      isListen: true,
    })
  })

  test('name only files that they mount', () => {
    const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
    const paths: string[] = container.args.flatMap((text: string) => /\/.*/.exec(text)?.[0] ?? [])
    expect(paths.filter((path) => !mounts.some((mount: string) => path.startsWith(`${mount}/`)))).toEqual([])
  })

  test('mount every volume once, in their order', () => {
    const claims = volumeClaimTemplates.map(({ metadata: { name } }: { metadata: { name: string } }) => name)
    expect([...spec.volumes.map(({ name }: { name: string }) => name), ...claims]).toEqual(
      container.volumeMounts.map(({ name }: { name: string }) => name),
    )
  })
})

const [patch] = readManifests('sidecar.yaml')

test('a patched gateway keeps the schema of a deployment', () => {
  const { template } = patch.spec
  const labels = { app: 'gateway' }
  const whole = {
    metadata: { name: 'gateway' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...template.spec, containers: [{ name: 'gateway' }] } },
    },
  }
  new Deployment(whole).validate()
})

test('a sidecar answers in the pod as long as the gateway runs', () => {
  const { containers, initContainers } = patch.spec.template.spec
  expect({
    containers,
    restartPolicies: initContainers.map((each: { restartPolicy: string }) => each.restartPolicy),
  }).toEqual({
    containers: undefined,
    restartPolicies: ['Always'],
  })
})

test('a sidecar does not get the token of the service account, which the gateway keeps', () => {
  const { initContainers, volumes, ...pod } = patch.spec.template.spec
  expect({ pod, mounted: initContainers[0].volumeMounts.at(-1), volume: volumes.at(-1) }).toEqual({
    pod: {},
    mounted: { name: 'no-token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    volume: { name: 'no-token', emptyDir: {} },
  })
})

test('the schema refuses a wrong value', () => {
  const wrong = structuredClone(readManifests('verifier.yaml').find(({ kind }) => kind === 'Deployment'))
  wrong.spec.replicas = 'two'
  expect(() => new Deployment(wrong).validate()).toThrow('data/spec/replicas must be integer')
})

test('the command of the sidecar knows each of its options, and its policy lies where the ConfigMap is', async () => {
  const [container] = patch.spec.template.spec.initContainers
  const { status, stderr } = await runHere([...container.args, '--listen', 'nowhere'])
  expect({ status, isListen: stderr.includes("argument 'nowhere' is invalid") }).toEqual({ status: 2, isListen: true })
  expect(container.args[container.args.indexOf('--policy') + 1]).toBe(
    `${container.volumeMounts[0].mountPath}/policy.json`,
  )
})
