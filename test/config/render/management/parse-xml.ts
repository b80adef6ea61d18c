import { DOMParser, type Element } from '@xmldom/xmldom'

/** Parses the root of an XML file; an error or warning of the parser fails the test. */
export function parseXml(text: string): Element {
  const onError = (level: string, message: string) => {
    throw new Error(`${level}: ${message}`)
  }
  return new DOMParser({ onError }).parseFromString(text, 'text/xml').documentElement!
}

/** Lists the elements in an element, in their order. */
export function listChildren(element: Element): Element[] {
  return [...element.childNodes].filter((node) => node.nodeType === node.ELEMENT_NODE) as Element[]
}

/** Finds all elements of this name below an element. */
export function findAll(element: Element, name: string): Element[] {
  return [...element.getElementsByTagName(name)]
}
