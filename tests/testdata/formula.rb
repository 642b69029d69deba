# As much of Homebrew as the formula asks of it: it installs the formula from an unpacked
# source archive into a prefix, and runs its test, for real.
#
#	ruby formula.rb <formula> <unpacked sources> <prefix> <scratch> <version>
require "fileutils"
require "pathname"

FORMULA, SOURCES, PREFIX, SCRATCH = ARGV.first(4).map { |path| File.expand_path(path) }
VERSION = ARGV[4]

# A folder of the prefix that files are installed into, under another name where one is given.
class Folder < Pathname
  def install(*what)
    mkpath
    what.flatten.each do |item|
      (item.is_a?(Hash) ? item : { item => File.basename(item) }).each { |from, to| FileUtils.cp(from, self + to) }
    end
  end
end

class Formula
  class << self
    attr_reader :checks, :said

    %i[desc homepage url sha256 license].each { |name| define_method(name) { |value| (@said ||= {})[name] = value } }
    def depends_on(what) = ((@needs ||= []) << what)
    def test(&block) = @checks = block
    def inherited(formula) = ($formula = formula)
  end

  def bin = Folder.new("#{PREFIX}/bin")
  def man1 = Folder.new("#{PREFIX}/share/man/man1")
  def bash_completion = Folder.new("#{PREFIX}/etc/bash_completion.d")
  def zsh_completion = Folder.new("#{PREFIX}/share/zsh/site-functions")
  def fish_completion = Folder.new("#{PREFIX}/share/fish/vendor_completions.d")
  def testpath = Pathname.new(SCRATCH)
  def version = VERSION
  def cd(dir, &block) = Dir.chdir(dir, &block)

  def system(*command)
    Kernel.system(*command.map(&:to_s)) or raise "#{command.join(" ")} failed"
  end

  def shell_output(command)
    out = `#{command}`
    $?.success? or raise "#{command} failed"
    out
  end

  def assert_equal(want, got) = want == got || raise("#{got.inspect}; want #{want.inspect}")
  def assert_match(want, got) = got.include?(want) || raise("#{got.inspect} lacks #{want.inspect}")
  def assert_path_exists(path) = path.exist? || raise("#{path} does not exist")
  def refute_path_exists(path) = !path.exist? || raise("#{path} exists")
end

load FORMULA
formula = $formula.new
Dir.chdir(SOURCES) { formula.install }
Dir.chdir(SCRATCH) { formula.instance_exec(&$formula.checks) }
puts $formula.said[:url], $formula.said[:sha256], Dir.glob("**/*", base: PREFIX).reject { |f| File.directory?("#{PREFIX}/#{f}") }.sort
