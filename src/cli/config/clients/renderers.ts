import type { ClientName } from '../../../contract/clients/client.ts'
import type { RenderClient } from './client-setup.ts'
import { renderApiKeyHelper } from './render-api-key-helper.ts'
import { renderAws } from './render-aws.ts'
import { renderBazel } from './render-bazel.ts'
import { renderCodex } from './render-codex.ts'
import { renderGit } from './render-git.ts'
import { renderKubernetes } from './render-kubernetes.ts'

/** A client other than the one that the configuration document is for. */
export type OtherClient = Exclude<ClientName, 'desktop'>

/** Who writes the configuration of which client. */
export const renderers: Readonly<Record<OtherClient, RenderClient>> = {
  codex: renderCodex,
  'api-key-helper': renderApiKeyHelper,
  kubernetes: renderKubernetes,
  aws: renderAws,
  bazel: renderBazel,
  git: renderGit,
}
