/**
 * JSON as Python's `json.dumps` writes it: with a space after `,` and `:`, and nothing but ASCII. The AWS CLI's files are
 * written so. A member that is `undefined` is left out.
 */
export function renderPythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderPythonJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return renderAscii(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${renderAscii(name)}: ${renderPythonJson(member)}`).join(', ')}}`
}

function renderAscii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
