/** Plugins and themes as the server describes them in open records. */
declare namespace Api {
  /** An installed plugin. */
  interface Plugin {
    id: string;
    name: string;
    version: string;
    description?: string;
    valid: boolean;
    /** Why it is not valid. */
    error?: string;
    enabled: boolean;
    hooks: string[];
    commands: { id: string; label: string }[];
    permissions?: string[];
    granted_permissions?: string[];
    settings?: { properties?: Record<string, unknown> };
    checksum?: string;
    trusted?: boolean;
    /** Whether it was trusted before its files changed. */
    retrust?: boolean;
  }

  /** A plugin of the catalog. */
  interface OfferedPlugin {
    id: string;
    name: string;
    version: string;
    description: string;
    hooks: string[];
    local_only: boolean;
    installed: boolean;
    installed_version: string;
    update_available: boolean;
  }

  /** One setting of a plugin. */
  interface PluginOption {
    type: 'string' | 'number' | 'integer' | 'boolean';
    title?: string;
    description?: string;
    format?: string;
    default?: string | number | boolean;
    enum?: (string | number)[];
    minimum?: number;
    maximum?: number;
    minLength?: number;
    maxLength?: number;
  }

  /** The settings that a plugin declares. */
  interface PluginSchema {
    properties?: Record<string, PluginOption>;
    required?: string[];
  }
}

declare namespace App {
  /** A game of a party, and why it fits; 0 where nothing is known. */
  interface PartyGame {
    row: Row;
    why: { players: number; minutes: number; rating: number };
  }

  /** The queue of a party. */
  interface Party {
    queue: string[];
    /** Place of the game whose turn it is. */
    index: number;
    players: number;
    games: Map<string, PartyGame>;
  }

  /** A group of colours, sizes and shadows that a theme can set. */
  interface TokenGroup {
    key: string;
    tokens: readonly string[];
  }
}

declare namespace Api {
  /** A member of the household. */
  interface HouseholdMember {
    member_id: string;
    display_name: string;
    avatar_color: string;
    stats_shared: boolean;
    deleted?: boolean;
  }

  /** A record of a member; other kinds have other payloads. */
  interface HouseholdRecord {
    kind: string;
    event_id: string;
    sync_key: string;
    parents: string[];
    created_at: string;
    payload: HouseholdMember;
  }
}
