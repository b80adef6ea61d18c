import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import { Deployment } from 'kubernetes-models/apps/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Service } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { root } from '../../pkg-scripts/tree.ts'
import { createVerifierOptions } from '../../src/cli/gateway/verifier/flags.ts'
import { parsePolicy } from '../../src/verify/policy/parse-policy.ts'
import { runHere } from '../cli/run-here.ts'

/** Kinds with the schemas that Kubernetes and the operator of Prometheus publish. */
const kinds = { ConfigMap, Deployment, NetworkPolicy, PodDisruptionBudget, PodMonitor, Service }

function readManifests(name: string) {
  const text = readFileSync(join(root, 'packaging', 'kubernetes', name), 'utf8')
  return parseAllDocuments(text).map((document) => document.toJS())
}

const all = readManifests('verifier.yaml')
const [policy, deployment, service, budget, network] = all
const [monitor] = readManifests('pod-monitor.yaml')
const [patch] = readManifests('sidecar.yaml')

test.each([...all, monitor].map((manifest) => [manifest.kind, manifest]))(
  '%s keeps the schema of its kind',
  (kind, manifest) => {
    const { apiVersion } = manifest
    const typed = new kinds[kind as keyof typeof kinds](manifest)
    typed.validate()
    expect(typed.toJSON()).toEqual({ ...manifest, apiVersion, kind })
  },
)

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

test('a verifier answers while gateways may still ask it: some seconds of a rollout, and in the pod as long as the gateway runs', () => {
  const { spec } = deployment.spec.template
  const { sleep } = spec.containers[0].lifecycle.preStop
  const drainSec = createVerifierOptions().find(({ long }) => long === '--drain-sec')!.defaultValue
  expect(sleep.seconds).toBeGreaterThanOrEqual(5)
  expect(sleep.seconds + drainSec).toBeLessThan(spec.terminationGracePeriodSeconds)
  const { containers, initContainers } = patch.spec.template.spec
  expect({
    containers,
    restartPolicies: initContainers.map((each: { restartPolicy: string }) => each.restartPolicy),
  }).toEqual({
    containers: undefined,
    restartPolicies: ['Always'],
  })
})

test('a wrong value is found by the schema', () => {
  const wrong = structuredClone(deployment)
  wrong.spec.replicas = 'two'
  expect(() => new Deployment(wrong).validate()).toThrow('data/spec/replicas must be integer')
})

test('everything selects the pods of the deployment, and the ports that they name', () => {
  const { labels } = deployment.spec.template.metadata
  const { ports } = deployment.spec.template.spec.containers[0]
  const selectors = [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
    network.spec.podSelector.matchLabels,
    monitor.spec.selector.matchLabels,
  ]
  expect(selectors).toEqual(selectors.map(() => labels))
  const named = [
    ...service.spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort),
    ...network.spec.ingress.map((rule: { ports: { port: string }[] }) => rule.ports[0]!.port),
    monitor.spec.podMetricsEndpoints[0].port,
  ]
  expect([...new Set(named)].sort()).toEqual(ports.map(({ name }: { name: string }) => name).sort())
})

test('the policy is one, without an error or a warning', () => {
  const { findings } = parsePolicy(Buffer.from(policy.data['policy.json']))
  expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
})

test.each([
  ['the deployment', deployment.spec.template.spec.containers[0]],
  ['the sidecar', patch.spec.template.spec.initContainers[0]],
])('the command of %s knows each of its options, and its policy lies where the ConfigMap is', async (_, container) => {
  const { status, stderr } = await runHere([...container.args, '--listen', 'nowhere'])
  expect({ status, isListen: stderr.includes("argument 'nowhere' is invalid") }).toEqual({ status: 2, isListen: true })
  expect(container.args[container.args.indexOf('--policy') + 1]).toBe(
    `${container.volumeMounts[0].mountPath}/policy.json`,
  )
})
