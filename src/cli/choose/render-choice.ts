import type { ConfigDocument } from '../../config/document.ts'
import type { NoChoice } from './choices.ts'
import type { Choice } from './choose-helper.ts'

/** What fits, in words; a document as its five lines. */
export function renderChoice(choice: Choice | NoChoice): string {
  if ('reason' in choice) return `Nothing fits: ${choice.reason}.\nInstead: ${choice.instead}.\n`
  const { helper, document, command, notes } = choice
  const configuration = document ? renderFiveLines(document) : `${command}\n`
  const rest = notes.map((note) => `- ${note}\n`).join('')
  return `${helper}\n\n${configuration}${rest && `\n${rest}`}`
}

/** A document that runs a helper, in five lines. */
export function renderFiveLines({ inference }: ConfigDocument): string {
  const { provider, baseUrl, credential } = inference ?? {}
  return [
    '{"inference": {',
    `  "provider": ${JSON.stringify(provider)},`,
    `  "baseUrl": ${JSON.stringify(baseUrl)},`,
    `  "credential": ${JSON.stringify(credential)}`,
    '}}\n',
  ].join('\n')
}
