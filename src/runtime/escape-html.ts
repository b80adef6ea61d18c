import { escapeControls } from './escape-controls.ts'

/** Escapes text for HTML, between tags and in quoted attributes, and what would turn the direction of the page's writing. */
export function escapeHtml(text: string): string {
  return escapeControls(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
