import { quoteForShell, quoteForWindows } from '../../../contract/clients/quote-words.ts'
import type { RenderClient } from './client-setup.ts'

/** A profile of the AWS configuration file whose credentials a helper prints. */
export const renderAws: RenderClient = ({ command, args, system, name }) => {
  const quote = system === 'windows' ? quoteForWindows : quoteForShell
  const section = name === 'default' ? 'default' : `profile ${name}`
  return {
    text: `[${section}]\ncredential_process = ${quote([command, ...args])}\n`,
    next: [
      'append this to the AWS configuration file (~/.aws/config, or the one that AWS_CONFIG_FILE names)',
      `try it: aws sts get-caller-identity --profile ${name}`,
    ],
  }
}
