import { escapeXml } from '../../../runtime/text/escape.ts'
import { renderJson } from '../../../runtime/values/json-value.ts'
import { vendor } from '../../../vendor.ts'
import { version } from '../../../version.ts'
import type { Field } from '../../field.ts'
import { categoryName, toItemName, vendorItem } from '../../policy-names.ts'
import { describeRule } from '../list-fields.ts'
import { listPolicies, type TemplatePolicy, templateFile } from './policies.ts'

/** The revision of both files: the first two numbers of Gatepass's release, because a template takes no more. */
const templateRevision: string = version.split('.').slice(0, 2).join('.')

/** The attributes of both root elements, as in the templates of Windows. */
const rootAttributes = {
  xmlns: 'http://schemas.microsoft.com/GroupPolicy/2006/07/PolicyDefinitions',
  revision: templateRevision,
  schemaVersion: '1.0',
} as const

/**
 * Renders the administrative template (ADMX): a machine policy for each flat key. It refers to no other template, because device management
 * accepts no such reference. It depends on the vendor and the field table only, never on a document.
 */
export function renderAdmx(): string {
  const target = { prefix: vendorItem.toLowerCase(), namespace: `Gatepass.Policies.${vendorItem}` }
  return renderXml({
    name: 'policyDefinitions',
    attributes: rootAttributes,
    content: [
      { name: 'policyNamespaces', content: [{ name: 'target', attributes: target }] },
      { name: 'resources', attributes: { minRequiredRevision: templateRevision } },
      { name: 'supportedOn', content: [{ name: 'definitions', content: listReleases().map(renderDefinition) }] },
      { name: 'categories', content: [renderNamed('category', categoryName)] },
      { name: 'policies', content: listPolicies().map(renderPolicy) },
    ],
  })
}

/** Lists the client releases that introduced policies. */
function listReleases(): string[] {
  return [...new Set(listPolicies().map(({ since }) => since))]
}

function renderDefinition(since: string): XmlElement {
  return renderNamed('definition', nameRelease(since))
}

/** Names the support definition of a release. */
function nameRelease(since: string): string {
  return toItemName(`since_${since}`)
}

function renderNamed(element: string, name: string): XmlElement {
  return { name: element, attributes: { name, displayName: `$(string.${name})` } }
}

/** Renders a policy. If a policy with an element is disabled, it removes the value. */
function renderPolicy(policy: TemplatePolicy): XmlElement {
  const { name, since } = policy
  return {
    name: 'policy',
    attributes: {
      name,
      class: 'Machine',
      displayName: `$(string.${name})`,
      explainText: `$(string.${name}_help)`,
      presentation: `$(presentation.${name})`,
      key: vendor.windowsPolicyKey,
    },
    content: [
      { name: 'parentCategory', attributes: { ref: categoryName } },
      { name: 'supportedOn', attributes: { ref: nameRelease(since) } },
      { name: 'elements', content: [renderTemplateElement(policy)] },
    ],
  }
}

function renderTemplateElement({ name, valueName, element }: TemplatePolicy): XmlElement {
  const attributes = { id: name, valueName, required: 'true' }
  switch (element.type) {
    case 'text':
      return { name: 'text', attributes: { ...attributes, maxLength: String(element.maxLength) } }
    case 'decimal': {
      const { min, max } = element
      // Clients read text; without this attribute a number would be stored as a REG_DWORD.
      const limits = { minValue: String(min), maxValue: String(max), storeAsText: 'true' }
      return { name: 'decimal', attributes: { ...attributes, ...limits } }
    }
    case 'enum':
      return { name: 'enum', attributes, content: element.choices.map((choice) => renderItem(name, choice)) }
  }
}

function renderItem(name: string, choice: string): XmlElement {
  const value: XmlElement = { name: 'value', content: [{ name: 'string', content: choice }] }
  return { name: 'item', attributes: { displayName: `$(string.${nameChoice(name, choice)})` }, content: [value] }
}

/** Names the string of an item in a list. */
function nameChoice(name: string, choice: string): string {
  return `${name}_${toItemName(choice)}`
}

/**
 * Renders the English texts of the template (ADML). A document's value is the initial value of an enabled policy, except a key, because
 * every user of a domain can read these files.
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

function explainPolicy({ rows }: TemplatePolicy): string {
  return [
    ...rows.map(explainField),
    'Disabled or not configured, the value is not set, and the client uses its default.',
  ].join(' ')
}

function listChoices({ element }: TemplatePolicy): readonly string[] {
  return element.type === 'enum' ? element.choices : []
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

const root = './Device/Vendor/MSFT/Policy'

/**
 * Renders a custom profile of OMA-URI settings for Microsoft Graph (`deviceManagement/deviceConfigurations`): the template first, then
 * every policy. A policy without a value in the document is disabled, so that nothing of an earlier document stays.
 */
export function renderOmaUri(entries: Readonly<Record<string, string>>): string {
  const profile = {
    '@odata.type': '#microsoft.graph.windows10CustomConfiguration',
    displayName: `${vendor.name} desktop settings`,
    description: 'Written by gatepass config export --to oma-uri',
    omaSettings: [
      createSetting(
        `${templateFile}.admx`,
        `${root}/ConfigOperations/ADMXInstall/${vendorItem}/Policy/Gatepass`,
        renderAdmx(),
      ),
      ...listPolicies().map((policy) => createPolicySetting(policy, entries[policy.valueName])),
    ],
  }
  return renderJson(profile)
}

function createPolicySetting({ name, valueName }: TemplatePolicy, value: string | undefined) {
  const data = value === undefined ? '<disabled/>' : `<enabled/><data id="${name}" value="${escapeXml(value)}"/>`
  return createSetting(valueName, `${root}/Config/${vendorItem}~Policy~${categoryName}/${name}`, data)
}

function createSetting(displayName: string, omaUri: string, value: string) {
  return { '@odata.type': '#microsoft.graph.omaSettingString', displayName, omaUri, value }
}

/** An element with either children or text. */
interface XmlElement {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string>>
  readonly content?: readonly XmlElement[] | string
}

/** Renders an XML file with this root element, in UTF-8 and with two spaces for each level. */
function renderXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${renderElement(root, '')}\n`
}

function renderElement({ name, attributes = {}, content = [] }: XmlElement, indent: string): string {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(value)}"`)].join(' ')
  if (content.length === 0) return `${indent}<${start} />`
  if (typeof content === 'string') return `${indent}<${start}>${escapeXml(content)}</${name}>`
  const inner = content.map((child) => renderElement(child, `${indent}  `))
  return [`${indent}<${start}>`, ...inner, `${indent}</${name}>`].join('\n')
}
