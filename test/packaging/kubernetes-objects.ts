import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Service } from 'kubernetes-models/v1'
import { parseAllDocuments } from 'yaml'
import { root } from '../../pkg-scripts/tree.ts'

/** Kinds with the schemas that Kubernetes and the operator of Prometheus publish. */
const kinds = { ConfigMap, Deployment, Ingress, NetworkPolicy, PodDisruptionBudget, PodMonitor, Service, StatefulSet }

/** Reads the objects of a file in `packaging/kubernetes/`. */
export function readManifests(name: string) {
  return readObjects(readFileSync(join(root, 'packaging', 'kubernetes', name), 'utf8'))
}

/** Reads the objects of a text in YAML; those that are empty are left out. */
export function readObjects(text: string) {
  return parseAllDocuments(text, { strict: true, uniqueKeys: true })
    .map((document) => document.toJS())
    .filter((object) => object !== null)
}

/** Holds an object against the schema of its kind. @returns What the schema knows of it. @throws for anything else. */
export function validateObject(object: { readonly kind: string }): object {
  // Each class takes the object of its own kind, which only the schema can tell.
  const Kind = kinds[object.kind as keyof typeof kinds] as unknown as new (
    object: object,
  ) => { validate(): void; toJSON(): object }
  const typed = new Kind(object)
  typed.validate()
  return typed.toJSON()
}
