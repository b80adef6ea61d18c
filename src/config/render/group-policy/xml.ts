import { escapeXml } from './escape-xml.ts'

/** An element that holds either others or text. */
export interface XmlElement {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string>>
  readonly content?: readonly XmlElement[] | string
}

/** An XML file of this root element, in UTF-8 and with two spaces for each level. */
export function renderXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${renderElement(root, '')}\n`
}

function renderElement({ name, attributes = {}, content = [] }: XmlElement, indent: string): string {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(value)}"`)].join(' ')
  if (content.length === 0) return `${indent}<${start} />`
  if (typeof content === 'string') return `${indent}<${start}>${escapeXml(content)}</${name}>`
  const inner = content.map((child) => renderElement(child, `${indent}  `))
  return [`${indent}<${start}>`, ...inner, `${indent}</${name}>`].join('\n')
}
