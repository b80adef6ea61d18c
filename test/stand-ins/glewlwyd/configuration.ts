/** Renders the file of glewlwyd's settings, in the form of libconfig. */
export function renderConfiguration({ port, directory }: { port: number; directory: string }): string {
  const settings = {
    port,
    bind_address: '127.0.0.1',
    external_url: `http://localhost:${port}`,
    login_url: 'login.html',
    api_prefix: 'api',
    static_files_path: `${directory}/pages/`,
    log_mode: 'file',
    log_level: 'WARNING',
    log_file: `${directory}/log`,
    cookie_secure: 0,
    session_key: 'GLEWLWYD2_SESSION_ID',
    admin_scope: 'g_admin',
    profile_scope: 'g_profile',
    user_module_path: '/usr/lib/glewlwyd/user',
    client_module_path: '/usr/lib/glewlwyd/client',
    user_auth_scheme_module_path: '/usr/lib/glewlwyd/scheme',
    plugin_module_path: '/usr/lib/glewlwyd/plugin',
    hash_algorithm: 'SHA512',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const types = Object.entries(mimeTypes).map(
    ([extension, type]) => `{ extension = "${extension}" mime_type = "${type}" }`,
  )
  return [
    ...lines,
    `database = { type = "sqlite3" path = "${directory}/glewlwyd.db" };`,
    `static_files_mime_types = ( ${types.join(', ')} )`,
    '',
  ].join('\n')
}

const mimeTypes = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'application/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
}
