import { stringify } from 'yaml'
import type { RenderClient } from './client-setup.ts'

/** A kubeconfig whose user is the helper's, as YAML. */
export const renderKubernetes: RenderClient = ({ command, args, name, baseUrl }) => {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args,
    interactiveMode: 'Never',
    provideClusterInfo: false,
    installHint: `${command} is missing: install Gatepass`,
  }
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: baseUrl } }],
    users: [{ name, user: { exec } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
  return {
    text: stringify(document, { lineWidth: 0 }),
    next: [
      'save this and name the file in KUBECONFIG, beside others with the path separator between them',
      "add certificate-authority to the cluster if the server's certificate is signed by an authority of its own",
    ],
  }
}
