import { vendor } from '../../../vendor.ts'
import type { Field } from '../../field.ts'
import { categoryName } from '../../policy-names.ts'
import { describeRule } from '../describe-field.ts'
import { listReleases, nameChoice, nameRelease, renderXml, rootAttributes, type XmlElement } from './admx.ts'
import { listPolicies, type TemplatePolicy } from './policies.ts'

/**
 * The English texts of the template (ADML). What a document sets is what an enabled policy starts with; a key is not
 * among it, because every user of a domain can read these files.
 */
export function renderAdml(entries: Readonly<Record<string, string>>): string {
  const title = `${vendor.name} desktop`
  return renderXml({
    name: 'policyDefinitionResources',
    attributes: rootAttributes,
    content: [
      { name: 'displayName', content: title },
      { name: 'description', content: `Settings of ${title}, written by Gatepass` },
      {
        name: 'resources',
        content: [
          {
            name: 'stringTable',
            content: [renderString(categoryName, title), ...listReleaseStrings(), ...listStrings()],
          },
          { name: 'presentationTable', content: listPolicies().map((policy) => renderPresentation(policy, entries)) },
        ],
      },
    ],
  })
}

function renderString(id: string, content: string): XmlElement {
  return { name: 'string', attributes: { id }, content }
}

function listReleaseStrings(): XmlElement[] {
  return listReleases().map((since) => renderString(nameRelease(since), `Client release ${since} and newer`))
}

function listStrings(): XmlElement[] {
  return listPolicies().flatMap((policy) => [
    renderString(policy.name, policy.valueName),
    renderString(`${policy.name}_help`, explainPolicy(policy)),
    ...listChoices(policy).map((choice) => renderString(nameChoice(policy.name, choice), choice)),
  ])
}

function listChoices({ element }: TemplatePolicy): readonly string[] {
  return element.type === 'enum' ? element.choices : []
}

function explainPolicy({ rows }: TemplatePolicy): string {
  return [
    ...rows.map(explainField),
    'Disabled or not configured, the value is not set, and the client uses its default.',
  ].join(' ')
}

function explainField(field: Field): string {
  const kind = field.kind ? `With the credential kind ${field.kind}: ` : ''
  const form = writtenAsJson.has(field.rule.type) ? `${describeRule(field.rule)}, as JSON` : describeRule(field.rule)
  const standard = field.default === undefined ? '' : ` Default: ${field.default}.`
  return `${kind}${field.summary} Value: ${form}.${standard}`.replaceAll('`', '')
}

const writtenAsJson: ReadonlySet<string> = new Set(['text-list', 'header-map', 'object'])

function renderPresentation(policy: TemplatePolicy, entries: Readonly<Record<string, string>>): XmlElement {
  const { name, valueName, rows } = policy
  const isSecret = rows.some((row) => row.secret)
  const value = isSecret ? undefined : entries[valueName]
  return { name: 'presentation', attributes: { id: name }, content: [renderControl(policy, value)] }
}

function renderControl({ name, valueName, element, rows }: TemplatePolicy, value: string | undefined): XmlElement {
  switch (element.type) {
    case 'text': {
      const start: XmlElement[] = value === undefined ? [] : [{ name: 'defaultValue', content: value }]
      return {
        name: 'textBox',
        attributes: { refId: name },
        content: [{ name: 'label', content: valueName }, ...start],
      }
    }
    case 'decimal': {
      const start = value ?? String(rows[0]!.default ?? element.min)
      return { name: 'decimalTextBox', attributes: { refId: name, defaultValue: start }, content: valueName }
    }
    case 'enum': {
      const start = String(Math.max(0, element.choices.indexOf(value ?? String(rows[0]!.default))))
      const attributes = { refId: name, noSort: 'true', defaultItem: start }
      return { name: 'dropdownList', attributes, content: valueName }
    }
  }
}
