import { mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { RecipeTerms } from '../../../src/verify/policy/recipe-terms.ts'
import { replaceShown } from '../page.ts'
import { readRecipe } from '../recipe.ts'

/** The recipes of docs/gateways/nginx.md, by the headings of their sections. */
export type Recipe = 'With auth_request' | 'With njs'

/** The values that replace those of a recipe in a test. */
export interface NginxPlaces {
  /** In it everything is written; without a space in its name. */
  readonly directory: string
  readonly verifierSocket: string
  readonly modelPort: number
  /** The credential that the gateway sends to the model in place of the caller's token; nothing if absent. */
  readonly modelKey?: string
  /** Whether it asks clients for a certificate, of whichever authority. */
  readonly asksForCertificates?: true
  /** How long nginx waits for the verifier. */
  readonly patienceSec?: number
  /** The terms of the policy, as far as they are not those of the stage. */
  readonly terms?: Partial<RecipeTerms>
  /** The ports of http, and of https with HTTP/2, for which the directory has `gateway.pem` and `gateway.key`. */
  readonly ports: { readonly plain: number; readonly tls: number }
}

/** Writes the files of a recipe as the page shows them, with these places in them, and a main file around them. Gives that file. */
export async function writeRecipe(recipe: Recipe, places: NginxPlaces): Promise<string> {
  const { directory } = places
  const replaced = toReplaced(places)
  for (const path of listFiles(recipe)) {
    const listing = readRecipe(recipe === 'With njs' ? 'nginx-njs' : 'nginx', `/etc/nginx/${path}`, places.terms)
    await write(join(directory, path), replaceShown(listing, replaced[path] ?? {}))
  }
  const main = join(directory, 'nginx.conf')
  await write(main, renderMain(recipe, directory))
  return main
}

function listFiles(recipe: Recipe): string[] {
  const script = recipe === 'With njs' ? ['gatepass/gatepass.js'] : []
  return ['conf.d/gatepass.conf', 'gatepass/verify.conf', 'gatepass/identity.conf', 'conf.d/gateway.conf', ...script]
}

function toReplaced(places: NginxPlaces): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const { directory, verifierSocket, modelPort, modelKey, asksForCertificates, patienceSec = 20, ports } = places
  const model = { 'model.internal': `127.0.0.1:${modelPort}` }
  return {
    'conf.d/gatepass.conf': { 'unix:/run/gatepass/verifier.sock': `unix:${verifierSocket}` },
    'gatepass/verify.conf': { ' 20s;': ` ${patienceSec}s;` },
    'gatepass/identity.conf': {
      ...model,
      ...(modelKey !== undefined && { 'Authorization ""': `Authorization "Bearer ${modelKey}"` }),
    },
    'conf.d/gateway.conf': {
      'model.internal:8080': `127.0.0.1:${modelPort}`,
      'listen 443 ssl http2;': `listen 127.0.0.1:${ports.plain}; listen 127.0.0.1:${ports.tls} ssl http2;`,
      '/etc/nginx/gateway.pem': join(directory, 'gateway.pem'),
      '/etc/nginx/gateway.key;': `${join(directory, 'gateway.key')};${asksForCertificates ? ' ssl_verify_client optional_no_ca;' : ''}`,
    },
  }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

/** Renders the main configuration file as Debian has it, with every path in the test's directory. */
function renderMain(recipe: Recipe, directory: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `${recipe === 'With njs' ? 'load_module /usr/lib/nginx/modules/ngx_http_js_module.so;' : ''}
${userInfo().uid === 0 ? 'user root;' : ''}
daemon off;
worker_processes 2;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log info;
events {}
http {
    access_log ${directory}/access.log;
    default_type application/octet-stream;
    ${temporary.map((name) => `${name}_temp_path ${directory}/temporary-${name};`).join('\n    ')}
    include conf.d/*.conf;
}
`
}
