import { type CredentialKind, type Field, toFieldName, toParentPath } from '../../src/config/field.ts'
import { fields, findConsent } from '../../src/config/fields.ts'
import { severities, severityByCode } from '../../src/config/finding.ts'
import { describeRule } from '../../src/config/render/list-fields.ts'

/** Renders the page that lists every field and every finding, in Markdown. */
export function renderConfigurationDocs(): string {
  return `${[intro, ...groupFields().map(renderGroup), deprecations, findingsIntro, ...severities.map(renderSeverity)].join('\n\n')}\n`
}

const intro = `# Configuration: fields and findings

<!-- Generated from src/config/fields.ts by \`node pkg-scripts/docs/write-configuration-docs.ts\`. -->

Every field of the configuration document that Gatepass knows, by its path in the nested form. The flat key is its name
in flat documents and in managed preferences, where every value is text. *Since* is the first client release that reads
the field. Where consent is asked, a first or changed value waits until the user agrees. The codes that
\`gatepass config check\` reports are listed [below](#findings).`

const deprecations = `Deprecated spellings keep working. In the flat form the authentication scheme \`sso\` means the kind \`interactive\`, and
\`interactive\` with an identity provider of its own means \`external-idp\`.`

const findingsIntro = `## Findings

Each has a code that does not change, so that scripts can rely on it.`

/** Groups of fields with the same parent and kind of credential, in the table's order. */
function groupFields(): Group[] {
  const byParent = Map.groupBy(fields, (field) => `${toParentPath(field)} ${field.kind ?? ''}`)
  return [...byParent.values()].map((rows) => ({ parent: toParentPath(rows[0]!), kind: rows[0]!.kind, rows }))
}

function renderGroup({ parent, kind, rows }: Group): string {
  const title = parent === '' ? 'The document' : `\`${parent}\``
  const header = ['Field', 'Flat key', 'Value', 'Default', 'Since', 'Consent', 'Meaning']
  const lines = [header, header.map(() => '---'), ...rows.map(renderCells)].map((cells) => `| ${cells.join(' | ')} |`)
  return [`## ${title}${kind ? `, kind \`${kind}\`` : ''}`, '', ...lines].join('\n')
}

function renderSeverity({ severity, title }: (typeof severities)[number]): string {
  const codes = Object.entries(severityByCode).filter(([, other]) => other === severity)
  return `### ${title}\n\n${codes.map(([code]) => `\`${code}\``).join(', ')}`
}

interface Group {
  readonly parent: string
  readonly kind: CredentialKind | undefined
  readonly rows: readonly Field[]
}

function renderCells(field: Field): string[] {
  return [
    `\`${toFieldName(field)}\``,
    field.flat ? `\`${field.flat}\`` : '',
    describeRule(field.rule).replaceAll('|', '\\|'),
    field.default === undefined ? '' : `\`${field.default}\``,
    field.since ?? '',
    findConsent(field) ? 'yes' : '',
    renderMeaning(field),
  ]
}

function renderMeaning(field: Field): string {
  return [
    field.summary,
    field.required && '**Required.**',
    field.pin && 'In a served document it must share the origin of the server.',
    field.deprecation && `Deprecated in the flat form: use \`${field.deprecation}\`.`,
    field.observed && 'Observed in clients, not in the specification.',
  ]
    .filter(Boolean)
    .join(' ')
}
