// Holds the table of renderers for the configuration of each client.

import { stringify } from 'yaml'
import type { ClientName } from '../../contract/clients.ts'
import { execCredentialVersion } from '../../contract/exec-credential.ts'
import { agentRenderers } from './agent-renderers.ts'
import { quoteCommand, quotePosixCommand, type RenderClient } from './client-setup.ts'

/** A client other than the one of the configuration document. */
export type OtherClient = Exclude<ClientName, 'desktop'>

/** The renderer of each client's configuration. */
export const renderers: Readonly<Record<OtherClient, RenderClient>> = {
  ...agentRenderers,
  /** Renders a kubeconfig whose user is the helper's, as YAML. */
  kubernetes: ({ command, args, name, baseUrl }) => {
    const exec = {
      apiVersion: execCredentialVersion,
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
  },
  /** Renders a profile of the AWS configuration file whose credentials a helper prints. */
  aws: (setup) => {
    const { name } = setup
    const section = name === 'default' ? 'default' : `profile ${name}`
    return {
      text: `[${section}]\ncredential_process = ${quoteCommand(setup)}\n`,
      next: [
        'append this to the AWS configuration file (~/.aws/config, or the one that AWS_CONFIG_FILE names)',
        `try it: aws sts get-caller-identity --profile ${name}`,
      ],
    }
  },
  /** Renders a line of `.bazelrc` for this host: without a host Bazel runs the helper for every server. */
  bazel: ({ baseUrl, wrapper, timeoutSec, intervalSec }) => ({
    text: [
      `common ${quoteForBazelrc(`--credential_helper=${new URL(baseUrl).hostname}=${wrapper}`)}`,
      `common --credential_helper_timeout=${timeoutSec}s`,
      `common --credential_helper_cache_duration=${intervalSec}s`,
      '',
    ].join('\n'),
    next: ['append this to the .bazelrc of the workspace, or to the one in the home directory'],
  }),
  /**
   * Renders a section of the Git configuration, for this address alone. The empty helper comes first: it removes the helpers of other files,
   * which Git would otherwise ask to store the token.
   */
  git: (setup) => {
    const address = setup.baseUrl.replace(/\/+$/, '')
    const line = `!${quotePosixCommand(setup)}` // Git for Windows includes such a shell
    return {
      text: `[credential ${quoteForGit(address)}]\n\thelper =\n\thelper = ${quoteForGit(line)}\n`,
      next: [
        'append this to ~/.gitconfig, or to the file that: git config --global --show-origin --list names',
        `try it: printf 'url=${address}\\n\\n' | git credential fill, which shows the token`,
      ],
    }
  },
}

/** In a Git configuration file a backslash escapes itself and the quote (git-config(1), "Syntax"). */
function quoteForGit(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** In `.bazelrc` a backslash escapes the next character, also between quotes (`blaze_util::Tokenize` of bazelbuild/bazel). */
function quoteForBazelrc(word: string): string {
  return /^[\w@%+:,.=/-]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`
}
