/** Shapes of stores, emulators, the launch audit and the setup flow. */
declare namespace Api {
  type Store = Reply.StoreStatus;
  type Title = Reply.CatalogEntry;
  type Exclusion = Reply.Exclusion;

  interface ImportCounts {
    added: number;
    found: number;
    errors?: string[];
  }

  interface WrapperScan {
    count: number;
    games: { wrapper_id: string; name: string; path: string; prefix: string; runner: string }[];
  }

  /** A prefix or a runtime of a compatibility layer. */
  interface Runtime {
    name: string;
    path: string;
    source?: string;
  }

  type Provider = Reply.Provider;
  type EmulatorJob = Reply.EmulatorJob;
  type Emulator = Reply.EmulatorEntry;
  type EmulatorList = Reply.EmulatorList;
  type Definition = Reply.ShownDefinition;
  type Dependency = Reply.DependencyPlace;
  type ScanConfig = Reply.ScanConfig;

  type Severity = 'error' | 'warning' | 'info';

  type Fix = Reply.Fix;
  type Check = Reply.LaunchCheck;
  type Preflight = Reply.Preflight;
  type AuditGroup = Reply.AuditGroup;
  type AuditTotals = Reply.AuditTotals;
  type AuditMembers = Reply.AuditMembers;
  type Audit = Reply.LaunchAudit;

  interface Core {
    core: string;
    name: string;
    path: string;
  }

  interface SetupSource {
    type: string;
    id?: string;
    label?: string;
    path?: string;
    /** Why nothing came from it. */
    error?: string;
  }

  type SetupPreview = Reply.SetupPreview & { counts: Record<string, number> };
  type SetupItem = Reply.SetupItem;
  type SetupItems = Reply.SetupItems;

  interface SetupDecision {
    candidate_id: string;
    action: 'import' | 'merge' | 'skip' | 'exclude';
    merge_target?: string;
    emulator_id?: string;
    adapter_id?: string;
    launch_setup?: string;
    platform?: string;
  }

  type DefsUpdate = Reply.DefinitionOffer;
  type DefsStatus = Reply.DefinitionStatus;

  interface DefsChange {
    installed?: string[];
    updated?: string[];
    removed?: string[];
    kept_local?: string[];
  }

  type AdapterHealth = Reply.Adapter;
}
