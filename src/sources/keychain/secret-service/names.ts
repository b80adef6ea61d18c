/** The name under which a Secret Service is found on the bus (Secret Service API, draft 0.2). */
export const serviceName = 'org.freedesktop.secrets'

/** Its first object. */
export const servicePath = '/org/freedesktop/secrets'

/** Its interfaces, and that of D-Bus for properties. */
export const interfaces = {
  service: 'org.freedesktop.Secret.Service',
  collection: 'org.freedesktop.Secret.Collection',
  item: 'org.freedesktop.Secret.Item',
  prompt: 'org.freedesktop.Secret.Prompt',
  properties: 'org.freedesktop.DBus.Properties',
} as const

/** Stands for no object, such as no prompt. */
export const noObject = '/'
