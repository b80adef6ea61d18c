import { apiKeyHelper } from './api-key-helper.ts'
import { aws } from './aws.ts'
import { bazel } from './bazel.ts'
import type { ClientName, HelperClient } from './client.ts'
import { codex } from './codex.ts'
import { desktop } from './desktop.ts'
import { git } from './git.ts'
import { kubernetes } from './kubernetes.ts'

/** Every client that runs helpers, by the name that `--client` takes. */
export const clients: Readonly<Record<ClientName, HelperClient>> = {
  desktop,
  codex,
  'api-key-helper': apiKeyHelper,
  kubernetes,
  aws,
  bazel,
  git,
}

/** In the order in which people are asked. */
export const clientNames = Object.keys(clients) as ClientName[] // the keys of a constant
