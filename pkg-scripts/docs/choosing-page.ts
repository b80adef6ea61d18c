import { chooseHelper, renderChoice } from '../../src/cli/choose-helper.ts'
import { choices, type GatewayKind, gateways, type PeopleKind, people } from '../../src/cli/helper-choices.ts'
import type { AnyHelper } from '../../src/helper/define-helper.ts'

/** Renders the part of `docs/choosing.md` that is generated: the helper for each situation, and its lines for the desktop client. */
export function renderChoosingPage(helpers: ReadonlyMap<string, AnyHelper>): string {
  const header = `| \`--gateway\` | ${peopleKinds.map((kind) => `\`${kind}\``).join(' | ')} |\n|---|${peopleKinds.map(() => '---|').join('')}\n`
  const rows = gatewayKinds.map(
    (gateway) =>
      `| [\`${gateway}\`](#${gateway}) | ${peopleKinds.map((kind) => renderCell(gateway, kind)).join(' | ')} |\n`,
  )
  const sections = gatewayKinds.map((gateway) => renderSection(gateway, helpers))
  return `${renderKinds('What the gateway takes', '--gateway', gateways)}${renderKinds('What people have', '--people', people)}## Which helper\n\n${header}${rows.join('')}\n${sections.join('\n')}`
}

// the keys of a constant
const peopleKinds = Object.keys(people) as PeopleKind[]

const gatewayKinds = Object.keys(gateways) as GatewayKind[]

function renderCell(gateway: GatewayKind, kind: PeopleKind): string {
  const choice = choices[gateway][kind]
  return 'reason' in choice ? 'nothing' : `[${choice.helper}](helpers/${choice.helper}.md)`
}

function renderSection(gateway: GatewayKind, helpers: ReadonlyMap<string, AnyHelper>): string {
  const answers = peopleKinds.map((kind) => {
    const choice = chooseHelper({ gateway, people: kind, client: 'desktop' }, helpers)
    return `**${kind}**\n\n\`\`\`text\n${renderChoice(choice)}\`\`\`\n`
  })
  return `### ${gateway}\n\nFor ${gateways[gateway]}.\n\n${answers.join('\n')}`
}

function renderKinds(title: string, flag: string, kinds: Readonly<Record<string, string>>): string {
  const rows = Object.entries(kinds).map(([name, words]) => `| \`${name}\` | ${words} |\n`)
  return `## ${title}\n\n| \`${flag}\` | |\n|---|---|\n${rows.join('')}\n`
}
