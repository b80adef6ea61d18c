import { type ScalarTag, stringify } from 'yaml'

/** A text in which Ansible must not look for templates: a header of the document may hold `{{`. */
export class UnsafeText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** How YAML for Ansible spells it. */
export const unsafeTag: ScalarTag = {
  tag: '!unsafe',
  identify: (value) => value instanceof UnsafeText,
  resolve: (text) => new UnsafeText(text),
  stringify: ({ value }, { indent }) => {
    const { text } = value as UnsafeText // only such a value is identified
    return stringify(text, { lineWidth: 0 })
      .trimEnd()
      .replaceAll(/\n(?!\n)/g, `\n${indent}`)
  },
}
