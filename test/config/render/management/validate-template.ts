import type { Element } from '@xmldom/xmldom'
import { findAll, listChildren, parseXml } from './parse-xml.ts'

const item = /^[\p{L}\p{N}_]+$/u
const string = /^\$\(string\.[\p{L}\p{N}_]+\)$/u
const presentation = /^\$\(presentation\.[\p{L}\p{N}_]+\)$/u
const version = /^\d{1,4}\.\d{1,5}$/
const number = /^\d{1,10}$/
const any = /^/
const one = [1, 1] as const
const optional = [0, 1] as const
const some = [1, Number.POSITIVE_INFINITY] as const

interface Rule {
  /** Required, but for those whose name ends with a question mark. */
  readonly attributes?: Readonly<Record<string, RegExp>>
  /** In this order, with how often each may stand there. */
  readonly children?: Readonly<Record<string, readonly [least: number, most: number]>>
  readonly text?: true
}

const root = {
  revision: version,
  schemaVersion: version,
  xmlns: /^http:\/\/schemas\.microsoft\.com\/GroupPolicy\/2006\/07\/PolicyDefinitions$/,
}
const element = { id: any, valueName: any, 'required?': /^(true|false)$/ }

/**
 * The elements that our templates may hold, by `parent/element`: the part of the ADMX schema ([MS-GPREG], sections 7.1 to 7.3) that
 * they use. The schema itself is not ours to copy; both files were found valid by it.
 */
const rules: Readonly<Record<string, Rule>> = {
  '/policyDefinitions': {
    attributes: root,
    children: {
      policyNamespaces: one,
      resources: one,
      supportedOn: optional,
      categories: optional,
      policies: optional,
    },
  },
  'policyDefinitions/policyNamespaces': { children: { target: one } },
  'policyNamespaces/target': { attributes: { prefix: item, namespace: /^[A-Za-z0-9.]+$/ } },
  'policyDefinitions/resources': { attributes: { minRequiredRevision: version } },
  'policyDefinitions/supportedOn': { children: { definitions: one } },
  'supportedOn/definitions': { children: { definition: some } },
  'definitions/definition': { attributes: { name: item, displayName: string } },
  'policyDefinitions/categories': { children: { category: some } },
  'categories/category': { attributes: { name: item, displayName: string } },
  'policyDefinitions/policies': { children: { policy: some } },
  'policies/policy': {
    attributes: {
      name: item,
      class: /^(User|Machine|Both)$/,
      displayName: string,
      explainText: string,
      presentation,
      key: /^(?!HK)[^\\]+(\\[^\\]+)*$/,
    },
    children: { parentCategory: optional, supportedOn: one, elements: one },
  },
  'policy/parentCategory': { attributes: { ref: item } },
  'policy/supportedOn': { attributes: { ref: item } },
  'policy/elements': { children: { text: optional, decimal: optional, enum: optional } },
  'elements/text': { attributes: { ...element, maxLength: number } },
  'elements/decimal': { attributes: { ...element, minValue: number, maxValue: number, storeAsText: /^true$/ } },
  'elements/enum': { attributes: element, children: { item: some } },
  'enum/item': { attributes: { displayName: string }, children: { value: one } },
  'item/value': { children: { string: one } },
  'value/string': { text: true },
  '/policyDefinitionResources': { attributes: root, children: { displayName: one, description: one, resources: one } },
  'policyDefinitionResources/displayName': { text: true },
  'policyDefinitionResources/description': { text: true },
  'policyDefinitionResources/resources': { children: { stringTable: one, presentationTable: one } },
  'resources/stringTable': { children: { string: some } },
  'stringTable/string': { attributes: { id: item }, text: true },
  'resources/presentationTable': { children: { presentation: some } },
  'presentationTable/presentation': {
    attributes: { id: item },
    children: { textBox: optional, decimalTextBox: optional, dropdownList: optional },
  },
  'presentation/textBox': { attributes: { refId: any }, children: { label: one, defaultValue: optional } },
  'textBox/label': { text: true },
  'textBox/defaultValue': { text: true },
  'presentation/decimalTextBox': { attributes: { refId: any, defaultValue: number }, text: true },
  'presentation/dropdownList': { attributes: { refId: any, noSort: /^true$/, defaultItem: number }, text: true },
}

/** Returns the mistakes in both files of a template, and in the references from one to the other. */
export function validateTemplate(admx: string, adml: string): string[] {
  const [policies, texts] = [parseXml(admx), parseXml(adml)]
  return [...validateElement(policies, ''), ...validateElement(texts, ''), ...validateReferences(policies, texts)]
}

function validateElement(node: Element, parent: string): string[] {
  const path = `${parent}/${node.tagName}`
  const rule = rules[path]
  if (!rule) return [`${path} is not known`]
  const inner = listChildren(node).flatMap((child) => validateElement(child, node.tagName))
  return [...validateAttributes(node, rule, path), ...validateOrder(node, rule, path), ...inner]
}

function validateAttributes(node: Element, { attributes = {} }: Rule, path: string): string[] {
  const known = Object.entries(attributes).map(([name, pattern]) => [name.replace('?', ''), pattern] as const)
  const names = new Set(known.map(([name]) => name))
  const others = [...node.attributes].filter(({ name }) => !names.has(name)).map(({ name }) => `${path} has ${name}`)
  const wrong = known.filter(([name, pattern]) => !pattern.test(node.getAttribute(name) ?? '\n'))
  return [
    ...others,
    ...wrong.filter(([name]) => node.hasAttribute(name) || !attributes[`${name}?`]).map(([name]) => `${path}: ${name}`),
  ]
}

function validateOrder(node: Element, { children = {}, text }: Rule, path: string): string[] {
  const names = listChildren(node).map(({ tagName }) => tagName)
  const order = Object.keys(children)
  const sorted = names.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
  const counts = Object.entries(children).filter(([name, [least, most]]) => {
    const count = names.filter((other) => other === name).length
    return count < least || count > most
  })
  const hasText = names.length === 0 && node.textContent!.trim() !== ''
  return [
    ...(names.join() === sorted.join() ? [] : [`${path}: order of ${names.join()}`]),
    ...counts.map(([name]) => `${path}: number of ${name}`),
    ...(hasText && !text ? [`${path} holds text`] : []),
  ]
}

/** Every reference leads somewhere, every name stands once, and each control belongs to an element of its policy. */
function validateReferences(policies: Element, texts: Element): string[] {
  const names = (root: Element, tag: string, attribute: string) =>
    findAll(root, tag).map((node) => node.getAttribute(attribute)!)
  const ids = [
    ...names(findAll(texts, 'stringTable')[0]!, 'string', 'id').map((id) => `$(string.${id})`),
    ...names(texts, 'presentation', 'id').map((id) => `$(presentation.${id})`),
  ]
  const local = [...names(policies, 'category', 'name'), ...names(policies, 'definition', 'name')]
  const used = findAll(policies, '*').flatMap((node) =>
    [...node.attributes].map(({ value }) => value).filter((value) => value.startsWith('$(')),
  )
  const refs = findAll(policies, '*').flatMap((node) => node.getAttribute('ref') ?? [])
  const elements = findAll(policies, 'elements').flatMap((node) =>
    listChildren(node).map((child) => child.getAttribute('id')!),
  )
  const controls = findAll(texts, 'presentation').flatMap((node) =>
    listChildren(node).map((child) => child.getAttribute('refId')!),
  )
  return [
    ...listMissing(used, ids),
    ...listMissing(ids, used),
    ...listMissing(refs, local),
    ...listMissing(elements, controls),
    ...listMissing(controls, elements),
    ...listTwice(ids),
    ...listTwice(names(policies, 'policy', 'name').map((name) => name.toLowerCase())),
  ]
}

function listMissing(names: readonly string[], among: readonly string[]): string[] {
  return names.filter((name) => !among.includes(name)).map((name) => `${name} leads nowhere`)
}

function listTwice(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} stands twice`)
}
